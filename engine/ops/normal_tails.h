// Functions of the normal distribution, and Hurwitz's zeta function, of one element. `Wide` as in polygamma.h.
#pragma once

#include "engine/ops/erfcx.h"
#include "engine/ops/gamma_functions.h"

namespace mt {

template <class Wide> MT_EVERYWHERE double erfcx_double(Wide x) { return std::isinf(x) && x > 0 ? 0 : static_cast<double>(erfcx_of(x)); }

// The logarithm of the normal distribution function, without underflow.
template <class Wide> MT_EVERYWHERE Wide log_ndtr_wide(Wide x) {
  const Wide z = x / std::numbers::sqrt2_v<Wide>;
  return x < -1 ? std::log(erfcx_of(-z) / 2) - z * z : std::log1p(-std::erfc(z) / 2);
}

template <class Wide> MT_EVERYWHERE double log_ndtr(Wide x) { return static_cast<double>(std::isinf(x) && x < 0 ? x : log_ndtr_wide(x)); }

// The x at which the normal distribution function is p: Newton's method for the logarithm of p up to 1/2, which is concave, from a lower
// bound.
template <class Wide> MT_EVERYWHERE double ndtri(Wide p) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (!(p >= 0 && p <= 1)) return std::numeric_limits<double>::quiet_NaN();
  if (p == 0 || p == 1) return p == 0 ? -infinity : infinity;
  const Wide target = std::log(std::min(p, 1 - p)), root = std::sqrt(2 / std::numbers::pi_v<Wide>);
  Wide x = -std::sqrt(-2 * target);
  for (int i = 0; i < 60; ++i) {
    const Wide part = erfcx_of(-x / std::numbers::sqrt2_v<Wide>), step = (std::log(part / 2) - x * x / 2 - target) * part / root;
    x -= step;
    if (!(std::abs(step) > static_cast<Wide>(1e-11))) break;
  }
  return p == static_cast<Wide>(0.5) ? 0 : static_cast<double>(p < static_cast<Wide>(0.5) ? x : -x);
}

// The sum of (a + k)^-s for s > 1 and a > 0, by Euler & Maclaurin's formula after the first terms.
template <class Wide> MT_EVERYWHERE Wide hurwitz_zeta(Wide s, Wide a) {
  Wide sum = 0, k = 0;
  const Wide direct = 10 + s - a;
  for (; k < direct; k += 1) {
    const Wide term = std::pow(a + k, -s);
    sum += term;
    if (!(term * (1 + (a + k) / (s - 1)) > tiny<Wide> * sum)) return sum;
  }
  const Wide far = a + k;
  Wide power = std::pow(far, -s), factor = s;
  sum += power * far / (s - 1) + power / 2;
  power /= far;
  for (int i = 1; i <= 8; ++i) {
    factor /= 2 * i * (2 * i - 1);
    sum += bernoulli_number<Wide>(i) * factor * power;
    factor *= (s + 2 * i - 1) * (s + 2 * i);
    power /= far * far;
  }
  return sum;
}

template <class Wide> MT_EVERYWHERE double zeta(Wide s, Wide a) {
  if (std::isnan(a) || !(s >= 1)) return std::numeric_limits<double>::quiet_NaN();
  if (s == 1) return std::numeric_limits<double>::infinity();
  if (a > 0) return static_cast<double>(std::isinf(a) ? 0 : hurwitz_zeta(s, a));
  if (a == std::floor(a)) return std::numeric_limits<double>::infinity();
  if (s != std::floor(s) || s > max_polygamma) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(zeta_of<Wide>(static_cast<double>(s), a));
}

}  // namespace mt
