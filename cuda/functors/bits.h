// Shifts and bitwise operations: the functors of engine/ops/bits-inl.h for one element.
#pragma once

#include "cuda/value.h"
#include "engine/core/decl.h"

namespace mt::cuda {

// 2^n, exact for integers; the exp2 of the device may not be.
template <class T> MT_DEVICE T power_of_two(T n) {
  return std::abs(n) < T(4096) && n == std::trunc(n) ? std::scalbn(T(1), static_cast<int>(n)) : std::exp2(n);
}

template <class T> MT_DEVICE bool shifts_out(T count) { return static_cast<uint64_t>(count) >= 8 * sizeof(T); }  // also if < 0

// The bits of an integer, zero-extended.
template <class T> MT_DEVICE uint64_t bits_of(T x) { return static_cast<uint64_t>(static_cast<std::make_unsigned_t<T>>(x)); }

template <class T> MT_FN Value<T> lshift(Value<T> x, Value<T> count) {
  if constexpr (std::is_floating_point_v<T>)
    return Value<T>(x.v * power_of_two(count.v));
  else
    return Value<T>(shifts_out(count.v) ? T(0) : static_cast<T>(bits_of(x.v) << count.v));
}
template <class T> MT_FN Value<T> rshift(Value<T> x, Value<T> count) {
  if constexpr (std::is_floating_point_v<T>)
    return Value<T>(x.v / power_of_two(count.v));
  else
    return Value<T>(shifts_out(count.v) ? T(0) : static_cast<T>(bits_of(x.v) >> count.v));
}

#include "engine/ops/bits-inl.h"

}  // namespace mt::cuda
