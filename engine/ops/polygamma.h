// Derivatives of digamma, and digamma below 0, of one element. Sums are in `Wide`: a type with more digits than double if the device has
// one, so that the last bits, and differences of nearly equal terms, are right, too.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>

#if defined(__CUDACC__)
#define MT_EVERYWHERE __host__ __device__
#else
#define MT_EVERYWHERE
#endif

namespace mt {

inline constexpr double max_polygamma = 150;  // larger orders have infinite factorials

// B_2k, k from 1 to 8.
template <class Wide> MT_EVERYWHERE Wide bernoulli_number(int k) {
  constexpr double numbers[] = {1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730, 7.0 / 6, -3617.0 / 510};
  return static_cast<Wide>(numbers[k - 1]);
}

// digamma above 0: the recurrence, and the asymptotic series from 14 on.
template <class Wide> MT_EVERYWHERE Wide digamma_above(Wide x) {
  Wide sum = 0;
  for (; x < 14; x += 1) sum -= 1 / x;
  const Wide square = 1 / (x * x);
  Wide power = square;
  sum += std::log(x) - 1 / (2 * x);
  for (int k = 1; k <= 8; ++k, power *= square) sum -= bernoulli_number<Wide>(k) / (2 * k) * power;
  return sum;
}

// digamma below 0 by reflection, with more digits than the result has: near its zeros, one between any two integers, the terms cancel.
template <class Wide> MT_EVERYWHERE double digamma_below(double x) {
  if (std::isnan(x)) return x;  // so are most elements of a vector
  const Wide above = digamma_above<Wide>(1 - static_cast<Wide>(x));
  constexpr auto pi = std::numbers::pi_v<Wide>;
  const double rest = x - std::round(x), part = std::abs(rest);
  const Wide slope = part > 0.25 ? std::tan(pi * (static_cast<Wide>(0.5) - part)) : 1 / std::tan(pi * part);
  return static_cast<double>(above - std::copysign(pi * slope, static_cast<Wide>(rest)));
}

// base^-s for an integer s, by squaring. The error grows with s, so it needs a type with digits to spare.
template <class Wide> MT_EVERYWHERE Wide inverse_power(Wide base, double s) {
  if constexpr (std::numeric_limits<Wide>::digits > std::numeric_limits<double>::digits) {
    Wide power = 1;
    for (auto rest = static_cast<unsigned>(s); rest != 0; rest /= 2, base *= base)
      if (rest % 2 != 0) power *= base;
    return 1 / power;
  } else {
    return std::pow(base, -static_cast<Wide>(s));
  }
}

// Hurwitz's zeta function for an integer s > 1 and a > 0: the sum of (a + k)^-s, by Euler & Maclaurin's formula.
template <class Wide> MT_EVERYWHERE Wide zeta_above(double s, Wide a) {
  const Wide least = std::ceil(10 + s - a), direct = least > 0 ? least : 0, far = a + direct;
  Wide power = inverse_power<Wide>(far, s);
  Wide sum = power * far / (s - 1) + power / 2, factor = s;
  power /= far;
  for (int k = 1; k <= 8; ++k) {
    factor /= 2 * k * (2 * k - 1);
    sum += bernoulli_number<Wide>(k) * factor * power;
    factor *= (s + 2 * k - 1) * (s + 2 * k);
    power /= far * far;
  }
  for (Wide k = direct - 1; k >= 0; k -= 1) sum += inverse_power<Wide>(a + k, s);  // from the smallest term on
  return sum;
}

// The same sum for an integer s and any a: below 0 it is the difference of two sums above 0.
template <class Wide> MT_EVERYWHERE Wide zeta_of(double s, Wide a) {
  if (a > 0) return std::isinf(a) ? 0 : zeta_above(s, a);
  const Wide below = std::floor(-a) + 1, nearest = -a - std::floor(-a);  // a + below would lose digits near 0
  if (nearest == 0) return std::numeric_limits<Wide>::infinity();
  if (!(below < 0x1p52)) return std::numeric_limits<Wide>::quiet_NaN();
  const Wide sign = std::fmod(s, 2.0) == 0 ? 1 : -1;
  return sign * (zeta_above(s, nearest) - zeta_above(s, nearest + below)) + zeta_above(s, a + below);
}

// Abramowitz & Stegun (1964), 6.4.10, for n from 1.
template <class Wide> MT_EVERYWHERE double polygamma_of(double x, double n) {
  if (!(n >= 1 && n <= max_polygamma) || n != std::floor(n) || std::isnan(x)) return std::numeric_limits<double>::quiet_NaN();
  const auto magnitude = static_cast<double>(static_cast<Wide>(std::tgamma(n + 1)) * zeta_of<Wide>(n + 1, x));
  return std::fmod(n, 2.0) == 0 ? -magnitude : magnitude;
}

}  // namespace mt
