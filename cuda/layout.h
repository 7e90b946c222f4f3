// Offsets of an element in several operands of one broadcast shape, from its number: a Geometry of the engine as a value for kernels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/offsets.h"
#include "cuda/runtime/context.h"
#include "engine/core/geometry.h"

namespace mt::cuda {

// Elements are numbered by Index: uint32_t if there are fewer than 2^31, else int64_t.
template <int operands, class Index = uint32_t> struct Layout {
  static constexpr int most_dims = 20;
  using Size = SizeOf<Index>;

  int dims = 0;
  Size sizes[most_dims];
  int64_t strides[operands][most_dims];  // in bytes; the last dimension first

  explicit Layout(const Geometry& g) : dims(g.dim()) {
    if (dims > most_dims) raise("tensors of more than 20 dimensions that can't be merged");
    for (int d = 0; d < dims; ++d) {
      const int from = dims - 1 - d;
      sizes[d] = Size(static_cast<Index>(g.size(from)));
      for (int k = 0; k < operands; ++k) strides[k][d] = k < g.operands() ? g.stride(k, from) : 0;
    }
  }

  // Sets the offsets of element i in bytes.
  MT_DEVICE void find(Index i, int64_t (&at)[operands]) const { find_offsets<operands>(dims, i, sizes, strides, at); }
};

inline constexpr int64_t least_wide = int64_t{1} << 31;  // number of elements from which on layouts use 64 bits

// Calls f with the number of elements, as the Index type of their layout.
template <class F> void count_by_index(int64_t n, const F& f) {
  if (n < least_wide)
    f(static_cast<uint32_t>(n));
  else
    f(n);
}

}  // namespace mt::cuda
