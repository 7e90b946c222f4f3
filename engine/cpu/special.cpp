// Loops of the ops in engine/ops/special-inl.h, for each CPU instruction set.
// polygamma and trigamma are computed lane by lane, in double.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/special.cpp"
#include <hwy/foreach_target.h>  // must come before what is compiled several times

#include <algorithm>
#include <iterator>
#include <limits>
#include <numbers>
#include <span>

#include "engine/core/half.h"
#include "engine/cpu/functions-inl.h"
#include "engine/ops/pointwise.h"

#include "engine/cpu/pointwise-inl.h"
#include "engine/cpu/rational-inl.h"

#ifndef MT_CPU_SPECIAL
#define MT_CPU_SPECIAL
namespace mt {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(), not_a_number = std::numeric_limits<double>::quiet_NaN();

constexpr double max_polygamma = 150;  // the factorials of larger ones are infinite

// B_2, B_4, ... B_16.
constexpr double bernoulli_numbers[] = {1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730, 7.0 / 6, -3617.0 / 510};

// digamma below 0 by reflection, with more digits than the result has: near its zeros, one between any two whole numbers, the terms cancel.
double digamma_below(double x) {
  if (std::isnan(x)) return x;  // most of a vector's elements
  long double y = 1 - static_cast<long double>(x), above = 0;
  for (; y < 14; y += 1) above -= 1 / y;
  const long double square = 1 / (y * y);
  long double power = square;
  above += std::log(y) - 1 / (2 * y);
  for (int k = 1; k <= 8; ++k, power *= square) above -= static_cast<long double>(bernoulli_numbers[k - 1]) / (2 * k) * power;
  constexpr auto pi = std::numbers::pi_v<long double>;
  const double rest = x - std::round(x), part = std::abs(rest);
  const long double slope = part > 0.25 ? std::tan(pi * (0.5 - part)) : 1 / std::tan(pi * part);
  return static_cast<double>(above - std::copysign(pi * slope, static_cast<long double>(rest)));
}

// base^-s for whole s, by squaring.
long double inverse_power(long double base, double s) {
  long double power = 1;
  for (auto rest = static_cast<unsigned>(s); rest != 0; rest /= 2, base *= base)
    if (rest % 2 != 0) power *= base;
  return 1 / power;
}

// Hurwitz's zeta function for whole s > 1, a > 0: the sum of (a + k)^-s, by Euler & Maclaurin's formula. Its dozen terms are added up with
// more digits than the result has.
long double zeta_above(double s, long double a) {
  const long double direct = std::max(0.0L, std::ceil(10 + s - a)), far = a + direct;
  long double power = inverse_power(far, s);
  long double sum = power * far / (s - 1) + power / 2, factor = s;
  power /= far;
  for (int k = 1; k <= 8; ++k) {
    factor /= 2 * k * (2 * k - 1);
    sum += static_cast<long double>(bernoulli_numbers[k - 1]) * factor * power;
    factor *= (s + 2 * k - 1) * (s + 2 * k);
    power /= far * far;
  }
  for (long double k = direct - 1; k >= 0; k -= 1) sum += inverse_power(a + k, s);  // the smallest first
  return sum;
}

// The same sum for whole s and any a: what is below 0 is the difference of two that are above.
long double zeta_of(double s, long double a) {
  if (a > 0) return std::isinf(a) ? 0 : zeta_above(s, a);
  const long double below = std::floor(-a) + 1, nearest = -a - std::floor(-a);  // of a + below less would be left near 0
  if (nearest == 0) return infinity;
  if (!(below < 0x1p52L)) return not_a_number;
  const long double sign = std::fmod(s, 2) == 0 ? 1 : -1;
  return sign * (zeta_above(s, nearest) - zeta_above(s, nearest + below)) + zeta_above(s, a + below);
}

// Abramowitz & Stegun (1964), 6.4.10, for n from 1.
double polygamma_of(double x, double n) {
  if (!(n >= 1 && n <= max_polygamma) || n != std::floor(n) || std::isnan(x)) return not_a_number;
  const auto magnitude = static_cast<double>(static_cast<long double>(std::tgamma(n + 1)) * zeta_of(n + 1, x));
  return std::fmod(n, 2) == 0 ? -magnitude : magnitude;
}

}  // namespace
}  // namespace mt
#endif

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

MT_UNARY(exp2, u10)
MT_UNARY(asinh, u10)
MT_UNARY(acosh, u10)
MT_UNARY(atanh, u10)
MT_UNARY(erfc, u15)
MT_UNARY(lgamma, u10)
MT_BINARY(hypot, u05)

// From here on both are log(2x); SLEEF's are infinite where x * x is.
constexpr double large = 1e9;
template <class T> MT_FN Simd<T> wide_acosh(Simd<T> x) { return select(x > Simd<T>(large), log(x) + Simd<T>(std::numbers::ln2), acosh(x)); }
template <class T> MT_FN Simd<T> wide_asinh(Simd<T> x) {
  const Simd<T> magnitude = abs(x);
  return select(magnitude > Simd<T>(large), copysign(log(magnitude) + Simd<T>(std::numbers::ln2), x), asinh(x));
}
// Stirling's leading term is all of it; SLEEF's is infinite a little before the largest number.
template <class T> MT_FN Simd<T> wide_lgamma(Simd<T> x) { return select(x > Simd<T>(1e30), x * (log(x) - Simd<T>(1)), lgamma(x)); }
MT_FN Simd<double> digamma(Simd<double> x) { return digamma(x, digamma_below); }
MT_FN Simd<float> digamma(Simd<float> x) {
  return in_double([](Simd<double> wide) { return digamma(wide); }, x);
}
template <class T> MT_FN Simd<T> polygamma(Simd<T> x, Simd<T> n) {
  const Simd<T> above_zero = each([](T a, T b) { return static_cast<T>(polygamma_of(double{a}, double{b})); }, x, n);
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
