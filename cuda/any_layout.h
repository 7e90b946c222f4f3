// A layout (cuda/layout.h) that selects the index type at run time: for kernels with few look-ups, or with many variants already.
#pragma once

#include <algorithm>

#include "cuda/layout.h"

namespace mt::cuda {

template <int operands> struct AnyLayout {
  static constexpr int most_dims = 20;
  int dims = 0;
  bool wide = false;
  Divisor narrow_sizes[most_dims];
  int64_t sizes[most_dims];
  int64_t strides[operands][most_dims];  // in bytes; the last dimension first

  AnyLayout() = default;  // a layout of one element
  explicit AnyLayout(const Geometry& g) {
    if (g.dim() > most_dims) raise("tensors of more than 20 dimensions that can't be merged");
    if (g.numel() == 1) return;
    for (int d = g.dim() - 1; d >= 0; --d) {
      int64_t steps[operands];
      for (int k = 0; k < operands; ++k) steps[k] = k < g.operands() ? g.stride(k, d) : 0;
      add(g.size(d), steps);
    }
    wide = g.numel() >= least_wide;
  }

  // Adds a dimension, outside of the others.
  void add(int64_t size, const int64_t (&steps)[operands]) {
    sizes[dims] = size;
    wide = wide || size >= least_wide;
    narrow_sizes[dims] = Divisor(static_cast<uint32_t>(std::clamp<int64_t>(size, 1, least_wide)));
    for (int k = 0; k < operands; ++k) strides[k][dims] = steps[k];
    ++dims;
  }

  // Sets the offsets of element i in bytes.
  MT_DEVICE void find(int64_t i, int64_t (&at)[operands]) const {
    if (dims == 1) {  // the usual case
      for (int k = 0; k < operands; ++k) at[k] = i * strides[k][0];
      return;
    }
    for (int k = 0; k < operands; ++k) at[k] = 0;
    for (int d = 0; d < dims; ++d) {
      int64_t next = 0;  // 0 for the last dimension
      if (d + 1 < dims) next = wide ? i / sizes[d] : int64_t{narrow_sizes[d].quotient(static_cast<uint32_t>(i))};
      const int64_t place = i - next * sizes[d];
      for (int k = 0; k < operands; ++k) at[k] += place * strides[k][d];
      i = next;
    }
  }
};

}  // namespace mt::cuda
