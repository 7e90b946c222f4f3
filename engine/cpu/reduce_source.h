// Reductions of elements that are computed when they are needed, without a tensor that holds all of them.
#pragma once

#include "engine/cpu/reduce.h"

namespace mt::cpu {

// Writes elements first..first + n, in logical order, to contiguous memory. Called from several threads.
struct ElementSource {
  void (*write)(const void* context, int64_t first, int64_t n, std::byte* to);
  const void* context;
};

// As run_reduce for a contiguous plan.x, with the same bits; plan.x needs no elements. Only reduces all elements or the last dimension.
// Returns false, and has done nothing, for other dimensions and for reducers that read the elements of a result strictly in order.
bool run_reduce_from(const ElementSource& source, const ReducePlan& plan, const ReduceKernels& kernels);

}  // namespace mt::cpu
