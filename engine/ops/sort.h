// The driver of sorting and order statistics.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// One slice: n elements `stride` elements apart. Positions are written counted from 1.
struct SortKernel {
  void (*sort)(const void* x, int64_t n, int64_t stride, bool descending, void* values, int64_t* indices) = nullptr;
  // The k first elements of the sorted slice, in that order.
  void (*top)(const void* x, int64_t n, int64_t stride, bool descending, int64_t k, void* values, int64_t* indices) = nullptr;
  // Element number k, from 0, of the ascending slice.
  void (*kth)(const void* x, int64_t n, int64_t stride, int64_t k, void* value, int64_t* index) = nullptr;
  void (*mode)(const void* x, int64_t n, int64_t stride, void* value, int64_t* index) = nullptr;
};

struct SortKernels {
  SortKernel kernels[dtype_count];
};

void run_sort(Call& call);
void run_topk(Call& call);
void run_kthvalue(Call& call);  // also the median
void run_mode(Call& call);

}  // namespace mt
