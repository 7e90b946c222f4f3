// The value type of functors (engine/ops) on a GPU: one element of any type. On the CPU, engine/cpu/lane-inl.h has a vector type.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "cuda/grid.h"
#include "engine/core/dtype.h"

#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

#define MT_FN MT_DEVICE

namespace mt::cuda {

// Converts an element to the type for its arithmetic, and back.
template <class T> MT_DEVICE Compute<T> widen(T element) {
#if defined(__CUDACC__)
  if constexpr (std::is_same_v<T, Half>)
    return __half2float(__ushort_as_half(element.bits));
  else if constexpr (std::is_same_v<T, BFloat16>)
    return __uint_as_float(static_cast<uint32_t>(element.bits) << 16);
  else
    return element;
#else
  return static_cast<Compute<T>>(element);
#endif
}

template <class T, class C> MT_DEVICE T narrow(C value) {
#if defined(__CUDACC__)
  if constexpr (is_16bit_float<T>) {
    T element;
    if constexpr (std::is_same_v<T, Half>)
      element.bits = __half_as_ushort(__float2half_rn(static_cast<float>(value)));
    else
      element.bits = __bfloat16_as_ushort(__float2bfloat16_rn(static_cast<float>(value)));
    return element;
  } else {
    return static_cast<T>(value);
  }
#else
  return static_cast<T>(value);
#endif
}

// Converts an element to another dtype, like convert_element on the host.
template <class To, class From> MT_DEVICE To converted(From element) {
  if constexpr (std::is_same_v<To, From>) {
    return element;
  } else {
    const auto value = widen(element);
    if constexpr (std::is_same_v<To, bool>) {
      return value != 0;
    } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<decltype(value)>) {
      const auto wide = static_cast<double>(value);
      constexpr double limit = 9223372036854775808.0;
      return static_cast<To>(wide >= -limit && wide < limit ? static_cast<int64_t>(wide) : INT64_MIN);
    } else {
      return narrow<To>(value);
    }
  }
}

struct BitMask {
  bool b;
  MT_FN BitMask operator&(BitMask o) const { return {b && o.b}; }
  MT_FN BitMask operator|(BitMask o) const { return {b || o.b}; }
  MT_FN BitMask operator!() const { return {!b}; }
};

template <class T> struct Value {
  using Element = T;
  using Mask = BitMask;
  T v;

  Value() = default;
  template <class U> MT_FN explicit Value(U value) : v(static_cast<T>(value)) {}

  // Signed overflow wraps: the arithmetic is done on the unsigned type.
  using Wrap = typename std::conditional_t<std::is_integral_v<T>,
                                           std::make_unsigned<std::conditional_t<(std::is_integral_v<T> && sizeof(T) >= 4), T, int>>,
                                           std::type_identity<T>>::type;
  friend MT_FN Value operator+(Value a, Value b) { return Value(static_cast<T>(static_cast<Wrap>(a.v) + static_cast<Wrap>(b.v))); }
  friend MT_FN Value operator-(Value a, Value b) { return Value(static_cast<T>(static_cast<Wrap>(a.v) - static_cast<Wrap>(b.v))); }
  friend MT_FN Value operator*(Value a, Value b) { return Value(static_cast<T>(static_cast<Wrap>(a.v) * static_cast<Wrap>(b.v))); }
  friend MT_FN Value operator/(Value a, Value b) {
    if constexpr (std::is_integral_v<T>) {
      // The plan refuses zero; the most negative number divided by -1 wraps.
      if (b.v == T(0)) return Value(T(0));
      if (std::is_signed_v<T> && b.v == static_cast<T>(-1)) return Value(T(0)) - a;
    }
    return Value(static_cast<T>(a.v / b.v));
  }
  friend MT_FN Mask operator<(Value a, Value b) { return {a.v < b.v}; }
  friend MT_FN Mask operator<=(Value a, Value b) { return {a.v <= b.v}; }
  friend MT_FN Mask operator>(Value a, Value b) { return {a.v > b.v}; }
  friend MT_FN Mask operator>=(Value a, Value b) { return {a.v >= b.v}; }
  friend MT_FN Mask operator==(Value a, Value b) { return {a.v == b.v}; }
  friend MT_FN Mask operator!=(Value a, Value b) { return {a.v != b.v}; }
  friend MT_FN Value select(Mask m, Value a, Value b) { return m.b ? a : b; }
};

template <class T> MT_FN Value<T> abs(Value<T> a) {
  if constexpr (std::is_floating_point_v<T>)
    return Value<T>(::fabs(a.v));
  else
    return a.v < T(0) ? Value<T>(T(0)) - a : a;  // the least integer is unchanged
}
template <class T> MT_FN Value<T> fmod(Value<T> a, Value<T> b) {
  if constexpr (std::is_integral_v<T>) {
    if (b.v == T(0) || (std::is_signed_v<T> && b.v == static_cast<T>(-1))) return Value<T>(T(0));
    return Value<T>(static_cast<T>(a.v % b.v));
  } else {
    return Value<T>(std::fmod(a.v, b.v));
  }
}

// Rounding returns integers unchanged.
#define MT_ROUNDING(name)                              \
  template <class T> MT_FN Value<T> name(Value<T> a) { \
    if constexpr (std::is_floating_point_v<T>)         \
      return Value<T>(std::name(a.v));                 \
    else                                               \
      return a;                                        \
  }
MT_ROUNDING(floor)
MT_ROUNDING(ceil)
MT_ROUNDING(round)
MT_ROUNDING(trunc)
#undef MT_ROUNDING

template <class T> MT_FN Value<T> sqrt(Value<T> a) { return Value<T>(std::sqrt(a.v)); }
template <class T> MT_FN Value<T> copysign(Value<T> magnitude, Value<T> sign) { return Value<T>(std::copysign(magnitude.v, sign.v)); }

}  // namespace mt::cuda
