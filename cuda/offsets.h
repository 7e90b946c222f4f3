// Offsets of an element in several operands from its number, by sizes and strides.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cuda/grid.h"

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

struct WideDivisor {
  int64_t value;

  WideDivisor() = default;
  explicit WideDivisor(int64_t divisor) : value(divisor) {}
  MT_DEVICE int64_t quotient(int64_t n) const { return n / value; }
};

// A size as a divisor of numbers of type Index: uint32_t, below 2^31, or int64_t.
template <class Index> using SizeOf = std::conditional_t<std::is_same_v<Index, uint32_t>, Divisor, WideDivisor>;

// Sets the offsets of element i. The last dimension comes first.
template <int operands, class Index, int most_dims> MT_DEVICE void find_offsets(int dims, Index i, const SizeOf<Index> (&sizes)[most_dims],
                                                                                const int64_t (&strides)[operands][most_dims],
                                                                                int64_t (&at)[operands]) {
  for (int k = 0; k < operands; ++k) at[k] = 0;
  for (int d = 0; d < dims; ++d) {
    const Index next = d + 1 < dims ? sizes[d].quotient(i) : 0;
    const auto place = static_cast<int64_t>(i - next * static_cast<Index>(sizes[d].value));
    for (int k = 0; k < operands; ++k) at[k] += place * strides[k][d];
    i = next;
  }
}

// The layout of a kernel that is compiled for its number of dimensions.
template <int operands, int dims, class Index> struct Offsets {
  int64_t strides[operands][dims];  // in bytes
  SizeOf<Index> sizes[dims];

  MT_DEVICE void find(Index i, int64_t (&at)[operands]) const { find_offsets<operands>(dims, i, sizes, strides, at); }
};

}  // namespace mt::cuda
