// The CPU's kernel of reductions: loops that fold runs of elements into accumulators, one set per dtype. The order of folding and the
// division among threads are the same for all of them.
#pragma once

#include <algorithm>
#include <array>

#include "engine/cpu/convert.h"
#include "engine/ops/reduce.h"

namespace mt::cpu {

// The size of an accumulator's field: that of the widest element, at least 8.
inline constexpr int64_t field_bytes = std::max<int64_t>(8, *std::ranges::max_element(detail::dtype_sizes));

// Accumulators of up to `capacity` results. An accumulator has a few fields; each field is an array over all results.
struct Accumulators {
  std::byte* base;
  int64_t capacity;
  int64_t first = 0;

  template <class A> A* field(int f) const { return reinterpret_cast<A*>(base + f * capacity * field_bytes) + first; }
  Accumulators from(int64_t i) const { return {base, capacity, first + i}; }
  Accumulators from_field(int f) const { return {base + f * capacity * field_bytes, capacity, first}; }
};

// The memory for the values of a result: data, data + stride, ..., in this dtype.
struct ReduceOutput {
  DType dtype;
  std::byte* data;
  int64_t stride;  // bytes
};

struct ReduceLoops {
  int fields = 0;
  int results = 1;
  bool widened = false;  // elements are 16-bit floats, which rows() and columns() receive as floats
  // Sets m accumulators to their start, which represents no element.
  void (*start)(const Accumulators& acc, int64_t m) = nullptr;
  // Folds a run of n contiguous elements into each of m accumulators; the runs are `stride` bytes apart, their first element is number
  // `first` among those of the result.
  void (*rows)(const ReduceArgs& args, const std::byte* x, int64_t n, int64_t m, int64_t stride, int64_t first,
               const Accumulators& acc) = nullptr;
  // Folds n rows of m contiguous elements, `stride` bytes apart, into m accumulators.
  void (*columns)(const ReduceArgs& args, const std::byte* x, int64_t n, int64_t m, int64_t stride, int64_t first,
                  const Accumulators& acc) = nullptr;
  // Folds m accumulators of later elements into those of earlier ones. Null if elements must be folded strictly in order.
  void (*merge)(const Accumulators& into, const Accumulators& later, int64_t m) = nullptr;
  // Writes m values to each result.
  void (*finish)(const ReduceArgs& args, const Accumulators& acc, int64_t m, const ReduceOutput* to) = nullptr;
};

using LoopsByDType = std::array<ReduceLoops, dtype_count>;

// A reducer: loops that fold the same elements, one set after the other. Their fields and their results follow each other.
struct ReduceVariant {
  int count = 0;
  const LoopsByDType* loops[ReducePlan::max_results];
};

// An op's reducers.
struct ReduceKernels {
  static constexpr int max_variants = 6;
  ReduceVariant variants[max_variants];
};

inline constexpr int64_t accumulators_block = 2048;  // results per call of the loops
inline constexpr int max_accumulator_fields = 3;

void run_reduce(const ReducePlan& plan, const ReduceKernels& kernels);

// Converts 16-bit floats to float.
using WidenFn = void (*)(float* to, const std::byte* from, int64_t n);
template <class T> void widen_elements(float* to, const std::byte* from, int64_t n) { widen(to, reinterpret_cast<const T*>(from), n); }

// Calls each(rows as floats, number of rows, their stride in bytes, columns, first row, first column) for blocks of n rows of m 16-bit
// floats. A block has as many rows as sums fold at once, and columns that fill vectors.
template <class Each> void in_float_blocks(WidenFn widen, const std::byte* x, int64_t n, int64_t m, int64_t stride, Each each) {
  constexpr int64_t rows = 16, columns = 512;
  alignas(64) float buffer[rows * columns];
  for (int64_t j = 0; j < m; j += columns) {
    const int64_t width = std::min(columns, m - j);
    for (int64_t row = 0; row < n; row += rows) {
      const int64_t count = std::min(rows, n - row);
      for (int64_t r = 0; r < count; ++r) widen(buffer + r * columns, x + (row + r) * stride + 2 * j, width);
      each(reinterpret_cast<const std::byte*>(buffer), count, columns * 4, width, row, j);
    }
  }
}

}  // namespace mt::cpu
