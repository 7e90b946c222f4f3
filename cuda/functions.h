// Elementary functions of one element (cuda/value.h), which the functors of engine/ops call. For vectors, engine/cpu/functions-inl.h has
// the same functions.
#pragma once

#include <cmath>

#include "cuda/value.h"

namespace mt::cuda {

// The sum of coefficients[i] x^i.
template <class T, size_t N> MT_FN Value<T> polynomial(Value<T> x, const T (&coefficients)[N]) {
  T sum = coefficients[N - 1];
  for (int i = static_cast<int>(N) - 2; i >= 0; --i) sum = std::fma(sum, x.v, coefficients[i]);
  return Value<T>(sum);
}

template <class T> MT_FN Value<T> mul_add(Value<T> a, Value<T> b, Value<T> c) { return Value<T>(std::fma(a.v, b.v, c.v)); }
template <class T> MT_FN Value<T> least(Value<T> a, Value<T> b) { return a.v < b.v ? a : b; }     // b if one is NaN
template <class T> MT_FN Value<T> greatest(Value<T> a, Value<T> b) { return a.v > b.v ? a : b; }  // likewise
MT_FN bool any(BitMask mask) { return mask.b; }

#define MT_UNARY(name) \
  template <class T> MT_FN Value<T> name(Value<T> a) { return Value<T>(std::name(a.v)); }
#define MT_BINARY(name) \
  template <class T> MT_FN Value<T> name(Value<T> a, Value<T> b) { return Value<T>(std::name(a.v, b.v)); }

MT_UNARY(exp)
MT_UNARY(expm1)
MT_UNARY(log)
MT_UNARY(log1p)
MT_UNARY(log2)
MT_UNARY(log10)
MT_UNARY(sin)
MT_UNARY(cos)
MT_UNARY(tan)
MT_UNARY(asin)
MT_UNARY(acos)
MT_UNARY(atan)
MT_UNARY(sinh)
MT_UNARY(cosh)
MT_UNARY(tanh)
MT_UNARY(erf)
MT_BINARY(pow)
MT_BINARY(atan2)

// The wide_ functions exist for vectors, whose plain functions have a smaller domain; these have the full domain.
template <class T> MT_FN Value<T> wide_sinh(Value<T> x) { return sinh(x); }
template <class T> MT_FN Value<T> wide_cosh(Value<T> x) { return cosh(x); }
template <class T> MT_FN Value<T> wide_log1p(Value<T> x) { return log1p(x); }

}  // namespace mt::cuda
