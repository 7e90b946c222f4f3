// Element types: their names, sizes and ranks, and the one switch that turns a DType into a C++ type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "engine/core/error.h"
#include "engine/core/half.h"

namespace mt {

// The numbers are part of the C ABI and of the Lua binding's view of a tensor: append only.
enum class DType : uint8_t { uint8, int8, int16, int32, int64, float16, float32, float64, boolean, bfloat16 };
inline constexpr int dtype_count = 10;

struct DTypeInfo {
  std::string_view name;   // as NumPy has it
  std::string_view torch;  // as in torch.<torch>Tensor
  int size;                // bytes
};

inline constexpr DTypeInfo dtype_infos[dtype_count] = {
    {"uint8", "Byte", 1},   {"int8", "Char", 1},     {"int16", "Short", 2},    {"int32", "Int", 4}, {"int64", "Long", 8},
    {"float16", "Half", 2}, {"float32", "Float", 4}, {"float64", "Double", 8}, {"bool", "Bool", 1}, {"bfloat16", "BFloat16", 2},
};

inline constexpr const DTypeInfo& info(DType dtype) { return dtype_infos[static_cast<int>(dtype)]; }
inline constexpr int size_of(DType dtype) { return info(dtype).size; }
inline constexpr bool is_float(DType d) {
  return d == DType::float32 || d == DType::float64 || d == DType::float16 || d == DType::bfloat16;
}

std::optional<DType> find_dtype(std::string_view name);  // "float32", "Float", "torch.FloatTensor" or "float"
DType promote(DType a, DType b);                         // NumPy's rule; an integer and a float give a float that holds both
DType float_for(DType dtype);                            // the float in which an integer's functions are computed

inline void append(std::string& text, DType part) { text.append("torch.").append(info(part).torch).append("Tensor"); }

template <class T> struct DTypeOf;
template <> struct DTypeOf<uint8_t> : std::integral_constant<DType, DType::uint8> {};
template <> struct DTypeOf<int8_t> : std::integral_constant<DType, DType::int8> {};
template <> struct DTypeOf<int16_t> : std::integral_constant<DType, DType::int16> {};
template <> struct DTypeOf<int32_t> : std::integral_constant<DType, DType::int32> {};
template <> struct DTypeOf<int64_t> : std::integral_constant<DType, DType::int64> {};
template <> struct DTypeOf<Half> : std::integral_constant<DType, DType::float16> {};
template <> struct DTypeOf<float> : std::integral_constant<DType, DType::float32> {};
template <> struct DTypeOf<double> : std::integral_constant<DType, DType::float64> {};
template <> struct DTypeOf<bool> : std::integral_constant<DType, DType::boolean> {};
template <> struct DTypeOf<BFloat16> : std::integral_constant<DType, DType::bfloat16> {};
template <class T> inline constexpr DType dtype_of = DTypeOf<T>::value;

template <class T> inline constexpr bool is_16bit_float = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

// The type in which arithmetic on T is done.
template <class T> using Compute = std::conditional_t<is_16bit_float<T>, float, T>;

// Calls f with a value of type std::type_identity<T>, T the C++ type of dtype.
template <class F> decltype(auto) dispatch(DType dtype, F&& f) {
  switch (dtype) {
    case DType::uint8:
      return f(std::type_identity<uint8_t>{});
    case DType::int8:
      return f(std::type_identity<int8_t>{});
    case DType::int16:
      return f(std::type_identity<int16_t>{});
    case DType::int32:
      return f(std::type_identity<int32_t>{});
    case DType::int64:
      return f(std::type_identity<int64_t>{});
    case DType::float16:
      return f(std::type_identity<Half>{});
    case DType::float32:
      return f(std::type_identity<float>{});
    case DType::float64:
      return f(std::type_identity<double>{});
    case DType::boolean:
      return f(std::type_identity<bool>{});
    case DType::bfloat16:
      return f(std::type_identity<BFloat16>{});
  }
  broken_invariant("known dtype", __FILE__, __LINE__);
}

// A number as an element: integers truncate toward zero and wrap to their width, as Torch7 does.
template <class T> T element_from(double value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<T>) {
    // A double outside int64 has no defined conversion: take what x86's conversion gives, everywhere.
    constexpr double limit = 9223372036854775808.0;
    const int64_t wide = value >= -limit && value < limit ? static_cast<int64_t>(value) : INT64_MIN;
    return static_cast<T>(wide);
  } else if constexpr (is_16bit_float<T>) {
    return T(static_cast<float>(value));
  } else {
    return static_cast<T>(value);
  }
}

// An element as another dtype's element.
template <class To, class From> To convert_element(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_integral_v<From>) {
    if constexpr (std::is_same_v<To, bool>)
      return value != 0;
    else if constexpr (is_16bit_float<To>)
      return To(static_cast<float>(value));
    else
      return static_cast<To>(value);
  } else if constexpr (std::is_integral_v<To>) {
    return element_from<To>(static_cast<double>(value));
  } else if constexpr (is_16bit_float<To>) {
    return To(static_cast<float>(value));
  } else {
    return static_cast<To>(static_cast<Compute<From>>(value));
  }
}

}  // namespace mt
