// The driver of reductions: which elements belong to which result, in what order, and on which thread. What is done to the elements comes
// as kernels, one set a dtype, that fold them into accumulators.
//
// Elements are folded in chunks whose borders depend on sizes and strides alone, and chunks are merged pairwise: any number of threads
// gives the same bits, and an error grows with the logarithm of the number of chunks.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// Accumulators of up to `capacity` results. One has a few fields of 8 bytes; a field of all results is an array.
struct Accumulators {
  std::byte* base;
  int64_t capacity;
  int64_t first = 0;

  template <class A> A* field(int f) const { return reinterpret_cast<A*>(base + f * capacity * 8) + first; }
  Accumulators from(int64_t i) const { return {base, capacity, first + i}; }
};

struct ReduceArgs {
  double p = 2;         // of a norm
  bool biased = false;  // of a variance
  int64_t count = 0;    // elements that go into one result
};

// Where finished results go: pointers and byte strides of up to two tensors.
struct ReduceOut {
  DType dtype;
  std::byte* data[2];
  int64_t strides[2];
};

struct ReduceKernel {
  int fields = 0;
  // Sets m accumulators to what stands for no element.
  void (*start)(Accumulators acc, int64_t m) = nullptr;
  // Folds a run of n contiguous elements into each of m accumulators; the runs are `stride` bytes apart, their first element is number
  // `first` of those that belong to the result.
  void (*rows)(const ReduceArgs& args, const std::byte* x, int64_t n, int64_t m, int64_t stride, int64_t first, Accumulators acc) = nullptr;
  // Folds n rows of m contiguous elements, `stride` bytes apart, into m accumulators.
  void (*columns)(const ReduceArgs& args, const std::byte* x, int64_t n, int64_t m, int64_t stride, int64_t first,
                  Accumulators acc) = nullptr;
  // Folds m accumulators of later elements into those of earlier ones. Not where elements are folded strictly in order.
  void (*merge)(const ReduceArgs& args, Accumulators into, Accumulators later, int64_t m) = nullptr;
  void (*finish)(const ReduceArgs& args, Accumulators acc, int64_t m, const ReduceOut& out) = nullptr;
};

// An op's kernels: one set a dtype, in as many variants as the op has ways to fold. Those without `rows` don't exist.
struct ReduceKernels {
  static constexpr int max_variants = 6;
  ReduceKernel variants[max_variants][dtype_count];
};

inline constexpr int64_t accumulators_block = 2048;  // results a kernel is given at once
inline constexpr int max_accumulator_fields = 3;

void run_sum(Call& call);
void run_prod(Call& call);
void run_mean(Call& call);
void run_extremum(Call& call);  // max, min: values, and positions along a dimension
void run_position(Call& call);  // argmax, argmin
void run_norm(Call& call);
void run_variance(Call& call);  // var, std
void run_test(Call& call);      // any, all

}  // namespace mt
