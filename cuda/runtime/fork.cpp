#include "cuda/runtime/fork.h"

#include <pthread.h>

#include <atomic>

#include "cuda/runtime/context.h"

namespace mt::cuda {
namespace {

std::atomic<bool> in_child{false};

}  // namespace

void note_use() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { in_child.store(true); });
  static_cast<void>(registered);
}

bool is_unusable_child() noexcept { return in_child.load(std::memory_order_relaxed); }

void refuse_in_child() {
  if (!is_unusable_child()) return;
  raise("CUDA can't be used in a child of fork() of a process that has used it: fork before its first use, or use threads");
}

}  // namespace mt::cuda
