#include "cuda/vendor/blas.h"

#include <atomic>

namespace mt::cuda::blas {
namespace {

std::atomic<bool> tf32 = false;

}  // namespace

bool tf32_is_allowed() { return tf32.load(std::memory_order_relaxed); }
void allow_tf32(bool allowed) { tf32.store(allowed, std::memory_order_relaxed); }

}  // namespace mt::cuda::blas
