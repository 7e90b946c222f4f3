// The regularised incomplete gamma functions of one element, their inverses, and their derivative for a. `Wide` as in polygamma.h.
// Sources: series and continued fraction, DLMF 8.11.4 and 8.9.2; for large a near x, Temme's expansion, DLMF 8.12; derivative of samples,
// Figurnov, Mohamed & Mnih (2018), "Implicit Reparameterization Gradients".
#pragma once

#include "engine/ops/gamma_functions.h"
#include "engine/ops/temme.h"

namespace mt {

// Shape and argument. log_x is given for x that underflows.
template <class Wide> struct GammaPoint { Wide a, x, log_x; };

// x^a exp(-x) / gamma(a); for large a in terms of the distance of x from a, since the logarithms cancel.
template <class Wide> MT_EVERYWHERE Wide gamma_weight(const GammaPoint<Wide>& p) {
  if (p.a < static_cast<Wide>(stirling_least)) return std::exp(p.a * p.log_x - p.x - log_gamma(p.a));
  const Wide excess = (p.x - p.a) / p.a;
  const Wide log_ratio = excess > -static_cast<Wide>(0.5) ? log1p_minus(excess) : p.log_x - std::log(p.a) - excess;
  return std::exp(p.a * log_ratio - stirling_rest(p.a)) * std::sqrt(p.a / (2 * std::numbers::pi_v<Wide>));
}

// The sum of x^n / ((a + 1) ... (a + n)) and its derivative for a: P = weight / a times it.
template <class Wide> MT_EVERYWHERE Sloped<Wide> gamma_series(Wide a, Wide x) {
  Wide term = 1, sum = 1, harmonic = 0, slope = 0;
  for (int n = 1; n < 100000; ++n) {
    term *= x / (a + n);
    harmonic += 1 / (a + n);
    sum += term;
    slope -= term * harmonic;
    if (!(term > tiny<Wide> * sum || term * harmonic > -tiny<Wide> * slope)) break;  // also for NaN
  }
  return {sum, slope};
}

// The continued fraction by Lentz's method, and its derivative for a: 1 - P = weight times it.
template <class Wide> MT_EVERYWHERE Sloped<Wide> gamma_fraction(Wide a, Wide x) {
  Wide b = x + 1 - a, d = 1 / b, d_slope = d * d, h = d, slope = d_slope;
  Wide c = std::numeric_limits<Wide>::max(), c_slope = 0;
  for (int i = 1; i < 100000; ++i) {
    const Wide numerator = -i * (i - a);
    b += 2;
    const Wide below = numerator * d + b, below_slope = i * d + numerator * d_slope - 1;
    c_slope = (i - numerator * c_slope / c) / c - 1;
    c = b + numerator / c;
    d = 1 / below;
    d_slope = -below_slope * d * d;
    const Wide factor = c * d, factor_slope = c_slope * d + c * d_slope;
    slope = slope * factor + h * factor_slope;
    h *= factor;
    if (!(std::abs(factor - 1) > 8 * tiny<Wide> || std::abs(h * factor_slope) > 8 * tiny<Wide> * std::abs(slope))) break;
  }
  return {h, slope};
}

// Where Temme's expansion is exact.
template <class Wide> MT_EVERYWHERE bool is_near_large(Wide a, Wide x) { return a >= 200 && std::abs(x - a) < static_cast<Wide>(0.3) * a; }

// eta, and the sum of c_k(eta) / a^k with its derivatives.
template <class Wide> struct Temme { Wide excess, eta, sum, by_eta, by_a; };

template <class Wide> MT_EVERYWHERE Temme<Wide> temme(Wide a, Wide x) {
  const Wide excess = (x - a) / a, eta = std::copysign(std::sqrt(-2 * log1p_minus(excess)), excess);
  Temme<Wide> t{excess, eta, 0, 0, 0};
  for (int k = temme_rows - 1; k >= 0; --k) {
    Wide row = 0, slope = 0;
    for (int i = temme_start(k + 1) - 1; i >= temme_start(k); --i) {
      slope = slope * eta + row;
      row = row * eta + temme_coefficient<Wide>(i);
    }
    t.by_a = (t.by_a - t.sum / a) / a;
    t.sum = t.sum / a + row;
    t.by_eta = t.by_eta / a + slope;
  }
  return t;
}

// P below, or 1 - P above.
template <class Wide> MT_EVERYWHERE Wide temme_tail(Wide a, Wide x, bool above) {
  const Temme<Wide> t = temme(a, x);
  const Wide z = t.eta * std::sqrt(a / 2), rest = std::exp(-z * z) / std::sqrt(2 * std::numbers::pi_v<Wide> * a) * t.sum;
  return std::erfc(above ? z : -z) / 2 + (above ? rest : -rest);
}

template <class Wide> MT_EVERYWHERE Wide gamma_lower(const GammaPoint<Wide>& p);

// 1 - P for x up to about 1, where P is near 1: DLMF 8.7.1.
template <class Wide> MT_EVERYWHERE Wide gamma_upper_series(const GammaPoint<Wide>& p) {
  Wide term = 1, sum = 0;
  for (int n = 1; n < 200; ++n) {
    term *= -p.x / n;
    sum += term / (p.a + n);
    if (std::abs(term) <= tiny<Wide> * std::abs(sum)) break;
  }
  const Wide exponent = p.a * p.log_x - lgamma_one_plus(p.a);
  return -std::expm1(exponent) - p.a * std::exp(exponent) * sum;
}

// 1 - P, with full relative precision.
template <class Wide> MT_EVERYWHERE Wide gamma_upper(const GammaPoint<Wide>& p) {
  if (is_near_large(p.a, p.x)) return temme_tail(p.a, p.x, true);
  if (p.x > static_cast<Wide>(1.1) && p.x >= p.a) {
    const Wide weight = gamma_weight(p);
    return weight == 0 ? 0 : weight * gamma_fraction(p.a, p.x).value;
  }
  const Wide limit = p.x > static_cast<Wide>(0.5) ? static_cast<Wide>(1.1) * p.x : static_cast<Wide>(-0.4) / p.log_x;
  return p.x > static_cast<Wide>(1.1) || limit < p.a ? 1 - gamma_lower(p) : gamma_upper_series(p);
}

// P, with full relative precision.
template <class Wide> MT_EVERYWHERE Wide gamma_lower(const GammaPoint<Wide>& p) {
  if (is_near_large(p.a, p.x)) return temme_tail(p.a, p.x, false);
  if (p.x > 1 && p.x > p.a) return 1 - gamma_upper(p);
  const Wide weight = gamma_weight(p);
  return weight == 0 ? 0 : weight / p.a * gamma_series(p.a, p.x).value;
}

// P, or 1 - P if `above`; at the ends the limits.
template <class Wide> MT_EVERYWHERE double incomplete_gamma(Wide a, Wide x, bool above) {
  if (!(a >= 0 && x >= 0) || (a == 0 && x == 0) || (std::isinf(a) && std::isinf(x))) return std::numeric_limits<double>::quiet_NaN();
  if (a == 0 || std::isinf(x)) return above ? 0 : 1;
  if (x == 0 || std::isinf(a)) return above ? 1 : 0;
  const GammaPoint<Wide> p{a, x, std::log(x)};
  return static_cast<double>(above ? gamma_upper(p) : gamma_lower(p));
}

// The derivative of P for x; at the ends the limits.
template <class Wide> MT_EVERYWHERE double incomplete_gamma_density(Wide a, Wide x) {
  if (!(a >= 0 && x >= 0) || std::isinf(a)) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0) return a < 1 ? std::numeric_limits<double>::infinity() : a == 1 ? 1 : 0;
  if (a == 0 || std::isinf(x)) return 0;
  return static_cast<double>(gamma_weight(GammaPoint<Wide>{a, x, std::log(x)}) / x);
}

// The derivative of log(x) for a at constant P: dP/da = -weight times it. log_x instead of x, which underflows for small a.
template <class Wide> MT_EVERYWHERE double incomplete_gamma_slope(Wide a, Wide log_x) {
  if (!(a > 0) || std::isinf(a) || std::isnan(log_x)) return std::numeric_limits<double>::quiet_NaN();
  if (std::isinf(log_x)) return 0;
  const Wide x = std::exp(log_x);
  if (is_near_large(a, x)) {
    const Temme<Wide> t = temme(a, x);
    const Wide ratio = t.eta == 0 ? 1 : t.excess / t.eta, log_ratio = std::log1p(t.excess);
    const Wide rest = log_ratio * t.sum - t.sum / (2 * a) - t.by_eta * ratio / a + t.by_a;
    return static_cast<double>(std::exp(stirling_rest(a)) / a * (ratio - t.eta / 2 + rest));
  }
  if (x < a + 1) {
    const Sloped<Wide> s = gamma_series(a, x);
    return static_cast<double>(-(s.value * (log_x - digamma_above(a + 1)) + s.slope) / a);
  }
  const Sloped<Wide> s = gamma_fraction(a, x);
  return static_cast<double>(s.value * (log_x - digamma_above(a)) + s.slope);
}

// The x with P(a, x), or 1 - P(a, x) if `above`, as given. Newton's method for the logarithm of the smaller part as a function of log(x),
// which is concave, so that all steps but the first have the same direction. The first one may go too far, where the part is 0.
template <class Wide> MT_EVERYWHERE double inverse_incomplete_gamma(Wide a, Wide given, bool above) {
  if (!(a > 0 && given >= 0 && given <= 1) || std::isinf(a)) return std::numeric_limits<double>::quiet_NaN();
  if (given == 0 || given == 1) return (given == 1) == above ? 0 : std::numeric_limits<double>::infinity();
  GammaPoint<Wide> at{a, a, std::log(a)};
  const bool upper = (given < (above ? gamma_upper(at) : gamma_lower(at))) == above;  // which part is the smaller one
  const Wide target = std::log(upper == above ? given : 1 - given);
  Wide jump = 0;  // the last step of Newton's method, or what is left of it
  for (int i = 0; i < 200; ++i) {
    const Wide part = upper ? gamma_upper(at) : gamma_lower(at);
    const Wide full = (std::log(part) - target) * part / gamma_weight(at);
    const bool advances = part > 0 && std::isfinite(full);
    jump = !advances ? jump / 2 : upper ? full : -full;
    const Wide step = advances ? jump : -jump;
    at.log_x += step;
    at.x = std::exp(at.log_x);
    if (std::abs(step) <= static_cast<Wide>(1e-11)) break;
  }
  return static_cast<double>(at.x);
}

}  // namespace mt
