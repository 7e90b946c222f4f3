// Calls of the vendor's BLAS on one thread.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/core/fork.h"
#include "engine/core/parallel.h"

namespace mt::cpu {

inline constexpr int64_t vendor_stays_alone = 8192;  // up to this many multiplications OpenBLAS never uses threads

// Keeps OpenBLAS from starting threads for one call; for little work it starts none anyway. This also holds within our loops, which may run
// on a pool that OpenMP doesn't know. Delays fork() until after the call: OpenBLAS has locks.
class VendorStaysAlone {
 public:
  explicit VendorStaysAlone(int64_t work) {
    if (work > vendor_stays_alone) one_.emplace(1);
  }

 private:
  const KeepsFromForking held_;
  std::optional<OpenMpThreads> one_;
};

}  // namespace mt::cpu
