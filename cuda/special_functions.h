// Special functions of one element: those of CUDA's library, and, in double, those that the engine implements itself.
#pragma once

#include "cuda/functions.h"
#include "engine/ops/polygamma.h"

namespace mt::cuda {

MT_UNARY(exp2)
MT_UNARY(asinh)
MT_UNARY(acosh)
MT_UNARY(atanh)
MT_UNARY(erfc)
MT_UNARY(lgamma)

template <class T> MT_FN Value<T> wide_asinh(Value<T> x) { return asinh(x); }
template <class T> MT_FN Value<T> wide_acosh(Value<T> x) { return acosh(x); }
template <class T> MT_FN Value<T> wide_lgamma(Value<T> x) { return lgamma(x); }

// In double, the squares of floats neither overflow nor lose digits.
MT_FN Value<float> hypot(Value<float> x, Value<float> y) {
  if (std::isinf(x.v) || std::isinf(y.v)) return Value<float>(std::numeric_limits<float>::infinity());
  const double a = x.v, b = y.v;
  return Value<float>(std::sqrt(a * a + b * b));
}
MT_FN Value<double> hypot(Value<double> x, Value<double> y) { return Value<double>(std::hypot(x.v, y.v)); }

#include "engine/ops/rational-inl.h"

MT_FN Value<double> erfinv(Value<double> x) { return inverse_of_erf(x); }
MT_FN Value<double> digamma(Value<double> x) { return digamma(x, nullptr); }  // absolute error near negative zeros: epsilon of 1
MT_FN Value<double> polygamma(Value<double> x, Value<double> n) {
  return n.v == 0 ? digamma(x) : Value<double>(polygamma_of<double>(x.v, n.v));
}
MT_FN Value<double> trigamma(Value<double> x) { return Value<double>(polygamma_of<double>(x.v, 1)); }

MT_FN Value<float> erfinv(Value<float> x) { return Value<float>(erfinv(Value<double>(x.v)).v); }
MT_FN Value<float> digamma(Value<float> x) { return Value<float>(digamma(Value<double>(x.v)).v); }
MT_FN Value<float> polygamma(Value<float> x, Value<float> n) { return Value<float>(polygamma(Value<double>(x.v), Value<double>(n.v)).v); }
MT_FN Value<float> trigamma(Value<float> x) { return Value<float>(trigamma(Value<double>(x.v)).v); }

}  // namespace mt::cuda
