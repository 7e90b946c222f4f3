// Loops of the ops in engine/ops/special-inl.h, for each CPU instruction set.
// Functions that no vector library has are computed lane by lane, in double.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/special.cpp"
#include <hwy/foreach_target.h>  // must come before what is compiled several times

#include <algorithm>
#include <iterator>
#include <limits>
#include <numbers>
#include <span>

#include "engine/core/half.h"
#include "engine/cpu/lane-inl.h"
#include "engine/ops/pointwise.h"

#include "engine/cpu/pointwise-inl.h"

#ifndef MT_CPU_SPECIAL
#define MT_CPU_SPECIAL
namespace mt {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(), not_a_number = std::numeric_limits<double>::quiet_NaN();

constexpr double max_polygamma = 150;  // the factorials of larger ones are infinite

// B_2, B_4, ... B_16.
constexpr double bernoulli_numbers[] = {1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730, 7.0 / 6, -3617.0 / 510};

// Where digamma is 0 above 0, in two parts, and its Taylor series there, (-1)^(k + 1) zeta(k + 1, root) for k = 1, 2, ...
constexpr double root = 1.4616321449683622, root_rest = 9.549995429965697e-17;
constexpr double root_series[] = {
    0.9676722454476212,      -0.4427631689835921,     0.258499760955651,       -0.16394270544240652,    0.10782405069126237,
    -0.07219956125645471,    0.04880428816414311,     -0.03316112647484736,    0.022597648232218104,    -0.01542476590494896,
    0.010538791616612175,    -0.007204534386356869,   0.004926781395729853,    -0.003369801655439328,   0.002305126326734928,
    -0.0015769367714301972,  0.0010788252019162967,   -0.0007380709389960052,  0.000504953265834602,    -0.0003454680251063077,
    0.00023635601564027053,  -0.00016170622091974803, 0.0001106337276874741,   -7.569179582195066e-05,  5.178575795222081e-05,
    -3.5430070947659604e-05, 2.424006611860132e-05,   -1.6584242271854135e-05, 1.134638458466385e-05,   -7.762817668462094e-06,
    5.3110609208898636e-06,  -3.6336507898010456e-06, 2.486022733129538e-06,   -1.7008538854332607e-06, 1.1636675363548843e-06,
    -7.96142543124197e-07,   5.446941930669446e-07,   -3.7266161283438227e-07, 2.549626552021554e-07,   -1.7443695117727745e-07,
    1.1934394829830244e-07,  -8.165115189488409e-08};

// From 1 to 2. Sums of larger terms would leave nothing near the root.
double digamma_near_root(double x) {
  const double h = (x - root) - root_rest;
  double series = 0;
  for (int k = static_cast<int>(std::size(root_series)) - 1; k >= 0; --k) series = (series + root_series[k]) * h;
  return series;
}

// Abramowitz & Stegun (1964), 6.3.7 (reflection), 6.3.5 (recurrence), 6.3.18 (asymptotic series).
double digamma_of(double x) {
  if (x == 0) return std::copysign(infinity, -x);
  double sum = 0;
  if (x < 0) {
    const double rest = x - std::round(x);
    if (rest == 0 || std::isinf(x)) return not_a_number;
    sum = -std::numbers::pi / std::tan(std::numbers::pi * rest);
    x = 1 - x;
  }
  if (x < 6) {
    if (x < 1) {
      sum -= 1 / x;
      x += 1;
    }
    double terms = 0;
    while (x > 2) {
      x -= 1;
      terms += 1 / x;
    }
    return sum + (terms + digamma_near_root(x));
  }
  for (; x < 10; x += 1) sum -= 1 / x;
  const double square = 1 / (x * x);
  double series = 0;
  for (int k = 7; k >= 1; --k) series = (series + bernoulli_numbers[k - 1] / (2 * k)) * square;
  return std::isinf(x) ? x : sum + std::log(x) - 0.5 / x - series;
}

// Hurwitz's zeta function for s > 1, a > 0: the sum of (a + k)^-s, by Euler & Maclaurin's formula.
double zeta_above(double s, double a) {
  const double direct = std::max(0.0, std::ceil(10 + s - a)), far = a + direct;
  double power = std::pow(far, -s);
  double sum = power * far / (s - 1) + power / 2, factor = s;
  power /= far;
  for (int k = 1; k <= 8; ++k) {
    factor /= 2 * k * (2 * k - 1);
    sum += bernoulli_numbers[k - 1] * factor * power;
    factor *= (s + 2 * k - 1) * (s + 2 * k);
    power /= far * far;
  }
  for (double k = direct - 1; k >= 0; k -= 1) sum += std::pow(a + k, -s);  // the smallest first
  return sum;
}

// The same sum for whole s and any a: what is below 0 is the difference of two that are above.
double zeta_of(double s, double a) {
  if (a > 0) return std::isinf(a) ? 0 : zeta_above(s, a);
  const double below = std::floor(-a) + 1;
  if (a + below == 1) return infinity;
  if (!(below < 0x1p52)) return not_a_number;
  const double nearest = -(a + below - 1), sign = std::fmod(s, 2) == 0 ? 1 : -1;
  return sign * (zeta_above(s, nearest) - zeta_above(s, nearest + below)) + zeta_above(s, a + below);
}

// Abramowitz & Stegun 6.4.10.
double polygamma_of(double x, double n) {
  if (!(n >= 0 && n <= max_polygamma) || n != std::floor(n) || std::isnan(x)) return not_a_number;
  if (n == 0) return digamma_of(x);
  const double magnitude = std::tgamma(n + 1) * zeta_of(n + 1, x);
  return std::fmod(n, 2) == 0 ? -magnitude : magnitude;
}

// Winitzki's approximation ("A handy approximation for the error function and its inverse", 2008), then Halley's iteration. The tail is
// found from 1 - |x|, which is exact there.
double erfinv_of(double x) {
  const double magnitude = std::abs(x);
  if (!(magnitude < 1)) return magnitude == 1 ? x * infinity : not_a_number;
  constexpr double a = 0.147;
  const double log = std::log1p(-x * x), t = 2 / (std::numbers::pi * a) + log / 2;
  double y = std::sqrt(std::sqrt(t * t - log / a) - t);
  for (int i = 0; i < 2; ++i) {  // an error of 0.002 becomes 1e-8, then less than double holds
    const double excess = magnitude < 0.5 ? std::erf(y) - magnitude : (1 - magnitude) - std::erfc(y);
    const double step = excess * std::exp(y * y) * (std::sqrt(std::numbers::pi) / 2);
    y -= step / (1 + y * step);
  }
  return std::copysign(y, x);
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
template <class T> MT_FN Simd<T> digamma(Simd<T> x) {
  return each([](T a) { return static_cast<T>(digamma_of(double{a})); }, x);
}
template <class T> MT_FN Simd<T> polygamma(Simd<T> x, Simd<T> n) {
  return each([](T a, T b) { return static_cast<T>(polygamma_of(double{a}, double{b})); }, x, n);
}
template <class T> MT_FN Simd<T> trigamma(Simd<T> x) { return polygamma(x, Simd<T>(1)); }
template <class T> MT_FN Simd<T> erfinv(Simd<T> x) {
  return each([](T a) { return static_cast<T>(erfinv_of(double{a})); }, x);
}

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
