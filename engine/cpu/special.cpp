// Loops of the ops in engine/ops/special-inl.h, for each CPU instruction set.
// polygamma and trigamma are computed lane by lane, in double.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/special.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include <limits>
#include <numbers>
#include <span>
#include <type_traits>

#include "engine/core/half.h"
#include "engine/cpu/functions-inl.h"
#include "engine/ops/pointwise.h"
#include "engine/ops/polygamma.h"

#include "engine/cpu/pointwise-inl.h"

#include "engine/cpu/complex_functions-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

MT_UNARY(exp2, u10)
MT_UNARY(asinh, u10)
MT_UNARY(acosh, u10)
MT_UNARY(atanh, u10)
MT_UNARY(erfc, u15)
MT_UNARY(lgamma, u10)
MT_BINARY(hypot, u05)

// From this x on, asinh and acosh equal log(2x); SLEEF's are infinite if x * x is.
constexpr double large = 1e9;
template <class T> MT_FN Simd<T> wide_acosh(Simd<T> x) { return select(x > Simd<T>(large), log(x) + Simd<T>(std::numbers::ln2), acosh(x)); }
template <class T> MT_FN Simd<T> wide_asinh(Simd<T> x) {
  const Simd<T> magnitude = abs(x);
  return select(magnitude > Simd<T>(large), copysign(log(magnitude) + Simd<T>(std::numbers::ln2), x), asinh(x));
}
// Stirling's leading term alone; SLEEF's function is infinite a little before the largest number.
template <class T> MT_FN Simd<T> wide_lgamma(Simd<T> x) { return select(x > Simd<T>(1e30), x * (log(x) - Simd<T>(1)), lgamma(x)); }

#include "engine/ops/rational-inl.h"

// Applies a function of doubles to floats.
template <class F> MT_FN Simd<float> in_double(F f, Simd<float> x) {
  const Simd<double>::D wide;
  const hn::Rebind<float, Simd<double>::D> half;
  const auto low = f(Simd<double>(hn::PromoteTo(wide, hn::LowerHalf(half, x.v))));
  const auto high = f(Simd<double>(hn::PromoteTo(wide, hn::UpperHalf(half, x.v))));
  return Simd<float>(hn::Combine(Simd<float>::D(), hn::DemoteTo(half, high.v), hn::DemoteTo(half, low.v)));
}

MT_FN Simd<double> erfinv(Simd<double> x) { return inverse_of_erf(x); }
MT_FN Simd<float> erfinv(Simd<float> x) {
  return in_double([](Simd<double> wide) { return inverse_of_erf(wide); }, x);
}
MT_FN Simd<double> digamma(Simd<double> x) { return digamma(x, digamma_below<long double>); }
MT_FN Simd<float> digamma(Simd<float> x) {
  return in_double([](Simd<double> wide) { return digamma(wide); }, x);
}
template <class T> MT_FN Simd<T> polygamma(Simd<T> x, Simd<T> n) {
  const Simd<T> above_zero = each([](T a, T b) { return static_cast<T>(polygamma_of<long double>(double{a}, double{b})); }, x, n);
  return select(n == Simd<T>(0), digamma(x), above_zero);
}
template <class T> MT_FN Simd<T> trigamma(Simd<T> x) { return polygamma(x, Simd<T>(1)); }

#include "engine/ops/special-inl.h"

std::span<const Row> special_rows() { return rows_of(SpecialOps()); }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
HWY_EXPORT(special_rows);
namespace cpu {
std::span<const Row> special_rows() { return HWY_DYNAMIC_DISPATCH(special_rows)(); }
}  // namespace cpu
}  // namespace mt
#endif
