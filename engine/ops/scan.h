// The driver of scans: running sums and products along a dimension.
#pragma once

#include "engine/core/registry.h"

namespace mt {

struct ScanKernel {
  // m contiguous rows of n elements, one after the other.
  void (*rows)(const std::byte* x, std::byte* out, int64_t n, int64_t m) = nullptr;
  // n rows `stride` bytes apart, of which m adjacent elements are scanned downward.
  void (*columns)(const std::byte* x, std::byte* out, int64_t n, int64_t m, int64_t stride) = nullptr;
};

struct ScanKernels {
  ScanKernel kernels[dtype_count];
};

void run_scan(Call& call);

}  // namespace mt
