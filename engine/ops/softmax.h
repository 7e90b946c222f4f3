// The driver of softmax and its relatives.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// For float and double; other dtypes are converted. Pointers: one or two arguments, then the result.
struct SliceKernel {
  // m contiguous slices of n elements.
  void (*rows)(const void* a, const void* b, void* out, int64_t n, int64_t m) = nullptr;
  // m adjacent slices of n elements that are `stride` elements apart.
  void (*columns)(const void* a, const void* b, void* out, int64_t n, int64_t m, int64_t stride) = nullptr;
};

struct SliceKernels {
  SliceKernel float32, float64;
};

void run_softmax(Call& call);  // also its gradient, from two tensors
void run_logsumexp(Call& call);

}  // namespace mt
