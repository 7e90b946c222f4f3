// engine/core/dtype.h for NVRTC: the types of elements, and names of sets of dtypes, which only the host reads.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

namespace mt {

struct Half {
  uint16_t bits;
};
struct BFloat16 {
  uint16_t bits;
};
template <class T> inline constexpr bool is_16bit_float = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
template <class T> using Compute = std::conditional_t<is_16bit_float<T>, float, T>;

struct DTypeSet {
  friend constexpr DTypeSet operator|(DTypeSet, DTypeSet) { return {}; }
  friend constexpr DTypeSet operator&(DTypeSet, DTypeSet) { return {}; }
  friend constexpr DTypeSet operator-(DTypeSet, DTypeSet) { return {}; }
  friend constexpr bool operator==(DTypeSet, DTypeSet) { return true; }
};
inline constexpr DTypeSet all_dtypes, storage_dtypes, arithmetic_dtypes, boolean_dtype, integer_dtypes, float_dtypes, number_dtypes,
    complex_dtypes, any_number_dtypes, ordered_dtypes, inexact_dtypes, moved_dtypes, compared_dtypes;
inline constexpr bool has_complex_dtypes = false;

}  // namespace mt
