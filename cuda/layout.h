// Offsets of an element in several operands of one broadcast shape, from its number: a Geometry of the engine as a value for kernels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/grid.h"
#include "cuda/runtime/context.h"
#include "engine/core/geometry.h"

namespace mt::cuda {

// Division by an invariant number, as multiplication and shift. Source: Granlund & Montgomery (1994), "Division by invariant integers using
// multiplication", PLDI.
struct Divisor {
  uint32_t value = 1, magic = 0, shift = 0;

  Divisor() = default;
  explicit Divisor(uint32_t divisor) : value(divisor) {
    while (shift < 32 && (uint64_t{1} << shift) < divisor) ++shift;
    magic = static_cast<uint32_t>(((uint64_t{1} << 32) * ((uint64_t{1} << shift) - divisor)) / divisor + 1);
  }
  // n < 2^31
  constexpr uint32_t quotient(uint32_t n) const { return (static_cast<uint32_t>((uint64_t{n} * magic) >> 32) + n) >> shift; }
};

// Elements are numbered by Index: uint32_t if there are fewer than 2^31, else int64_t.
template <int operands, class Index = uint32_t> struct Layout {
  static constexpr int most_dims = 20;
  struct Wide {
    int64_t value;
    Wide() = default;
    explicit Wide(int64_t divisor) : value(divisor) {}
    MT_DEVICE int64_t quotient(int64_t n) const { return n / value; }
  };
  using Size = std::conditional_t<std::is_same_v<Index, uint32_t>, Divisor, Wide>;

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
  MT_DEVICE void find(Index i, int64_t (&at)[operands]) const {
    for (int k = 0; k < operands; ++k) at[k] = 0;
    for (int d = 0; d < dims; ++d) {
      const Index next = sizes[d].quotient(i);
      const auto place = static_cast<int64_t>(i - next * static_cast<Index>(sizes[d].value));
      for (int k = 0; k < operands; ++k) at[k] += place * strides[k][d];
      i = next;
    }
  }
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
