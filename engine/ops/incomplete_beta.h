// The regularised incomplete beta function of one element, its inverse, and its derivatives for a and b. `Wide` as in polygamma.h.
// Sources: the continued fraction DLMF 8.17.22, with the derivative of every step; for large a and b near the mean, the asymptotic
// expansion of Didonato & Morris (1992), "Algorithm 708: Significant digit computation of the incomplete beta function ratios", BASYM.
#pragma once

#include "engine/ops/erfcx.h"
#include "engine/ops/gamma_functions.h"

namespace mt {

// Parameters and argument x, with y = 1 - x; logarithms are given, since x or y may underflow.
template <class Wide> struct BetaPoint { Wide a, b, x, y, log_x, log_y; };

template <class Wide> MT_EVERYWHERE BetaPoint<Wide> beta_point(Wide a, Wide b, Wide x) {
  return {a, b, x, 1 - x, std::log(x), x < static_cast<Wide>(0.5) ? std::log1p(-x) : std::log(1 - x)};
}

template <class Wide> MT_EVERYWHERE BetaPoint<Wide> mirrored(const BetaPoint<Wide>& p) { return {p.b, p.a, p.y, p.x, p.log_y, p.log_x}; }

// n log(ratio) - n (ratio - 1), from ratio - 1 and log(ratio).
template <class Wide> MT_EVERYWHERE Wide log_excess(Wide n, Wide excess, Wide log_ratio) {
  return n * (excess > -static_cast<Wide>(0.5) ? log1p_minus(excess) : log_ratio - excess);
}

// The logarithm of x^a y^b, divided by its maximum: from the distance of x from the mean, since the logarithms cancel for large a and b.
template <class Wide> MT_EVERYWHERE Wide log_beta_ratio(const BetaPoint<Wide>& p) {
  const Wide distance = p.a * p.y - p.b * p.x, total = p.a + p.b;
  return log_excess(p.a, -distance / p.a, p.log_x - std::log(p.a / total)) +
         log_excess(p.b, distance / p.b, p.log_y - std::log(p.b / total));
}

// x^a y^b / B(a, b) for large a and b, but for its square root; and this root.
template <class Wide> MT_EVERYWHERE Wide beta_exponential(const BetaPoint<Wide>& p) {
  return std::exp(log_beta_ratio(p) + stirling_rest(p.a + p.b) - stirling_rest(p.a) - stirling_rest(p.b));
}
template <class Wide> MT_EVERYWHERE Wide beta_root(const BetaPoint<Wide>& p) {
  return std::sqrt(p.a / (p.a + p.b) * p.b / (2 * std::numbers::pi_v<Wide>));
}

// x^a y^b / B(a, b).
template <class Wide> MT_EVERYWHERE Wide beta_weight(const BetaPoint<Wide>& p) {
  if (std::min(p.a, p.b) < static_cast<Wide>(stirling_least)) return std::exp(p.a * p.log_x + p.b * p.log_y - log_beta(p.a, p.b));
  return beta_exponential(p) * beta_root(p);
}

// A function and its derivatives for a and b.
template <class Wide> struct BetaSloped { Wide value, by_a, by_b; };

template <class Wide> MT_EVERYWHERE Wide away_from_zero(Wide x) {
  constexpr Wide least = 1e-300;
  return std::abs(x) < least ? least : x;
}

// The continued fraction by Lentz's method: I = weight / a times it.
template <class Wide> MT_EVERYWHERE BetaSloped<Wide> beta_fraction(Wide a, Wide b, Wide x) {
  Wide below = away_from_zero<Wide>(1 - (a + b) * x / (a + 1)), d = 1 / below, c = 1, c_a = 0, c_b = 0;
  Wide d_a = (x / (a + 1) - (a + b) * x / ((a + 1) * (a + 1))) * d * d, d_b = x / (a + 1) * d * d;
  BetaSloped<Wide> h{d, d_a, d_b};
  for (int m = 1; m < 50000; ++m) {
    const Wide q1 = a + 2 * m - 1, q2 = a + 2 * m, q3 = a + 2 * m + 1;
    Wide rest = 0;
    for (int half = 0; half < 2; ++half) {
      const Wide unit = half == 0 ? m * x / (q1 * q2) : -x / (q2 * q3);
      const Wide n = half == 0 ? (b - m) * unit : (a + m) * (a + b + m) * unit;
      const Wide n_a = half == 0 ? -n * (1 / q1 + 1 / q2) : unit * (2 * a + b + 2 * m) - n * (1 / q2 + 1 / q3);
      const Wide n_b = half == 0 ? unit : unit * (a + m);
      below = away_from_zero<Wide>(1 + n * d);
      const Wide below_a = n_a * d + n * d_a, below_b = n_b * d + n * d_b;
      c_a = (n_a - n * c_a / c) / c;
      c_b = (n_b - n * c_b / c) / c;
      c = away_from_zero<Wide>(1 + n / c);
      d = 1 / below;
      d_a = -below_a * d * d;
      d_b = -below_b * d * d;
      const Wide factor = c * d, factor_a = c_a * d + c * d_a, factor_b = c_b * d + c * d_b;
      h.by_a = h.by_a * factor + h.value * factor_a;
      h.by_b = h.by_b * factor + h.value * factor_b;
      h.value *= factor;
      rest = std::abs(factor - 1) + std::abs(h.value * factor_a) / (std::abs(h.by_a) + std::abs(h.value)) +
             std::abs(h.value * factor_b) / (std::abs(h.by_b) + std::abs(h.value));
    }
    if (!(rest > 16 * tiny<Wide>)) break;  // also for NaN
  }
  return h;
}

// Where the asymptotic expansion is exact.
template <class Wide> MT_EVERYWHERE bool is_near_large(const BetaPoint<Wide>& p) {
  const Wide least = std::min(p.a, p.b);
  return least > 100 && std::abs(p.a * p.y - p.b * p.x) <= static_cast<Wide>(0.03) * least;
}

// I, divided by x^a y^b / B(a, b) but for its square root: a sum over derivatives of erfcx(z) with z^2 = -log_beta_ratio, whose
// coefficients d are those of an inverse power series in (1 / w)^2 = min(a, b) (1 + min / max).
template <class Wide> MT_EVERYWHERE Wide beta_asymptotic(const BetaPoint<Wide>& p) {
  constexpr int terms = 20;
  const Wide least = std::min(p.a, p.b), h = least / std::max(p.a, p.b), r0 = 1 / (1 + h), r1 = (p.b - p.a) / std::max(p.a, p.b);
  const Wide w0 = 1 / std::sqrt(least * (1 + h)), sqrt_eighth = std::sqrt(static_cast<Wide>(0.125));
  const Wide square = std::max(-log_beta_ratio(p), static_cast<Wide>(0)), z = std::copysign(std::sqrt(square), p.a * p.y - p.b * p.x);
  const Wide to_erf = 2 / std::sqrt(std::numbers::pi_v<Wide>);
  Wide a0[terms + 1], b0[terms + 1], c[terms + 1], d[terms + 1];
  a0[0] = 2 * r1 / 3;
  c[0] = -a0[0] / 2;
  d[0] = -c[0];
  Wide j0 = erfcx_of(z) / (2 * to_erf), j1 = sqrt_eighth, sum = j0 + d[0] * w0 * j1;
  Wide s = 1, h_power = 1, w = w0, z_power = z / (2 * sqrt_eighth), z_next = 2 * square;
  const Wide z_square = z_next;
  for (int n = 2; n <= terms; n += 2) {
    h_power *= h * h;
    a0[n - 1] = 2 * r0 * (1 + h * h_power) / (n + 2);
    s += h_power;
    a0[n] = 2 * r1 * s / (n + 3);
    for (int i = n; i <= n + 1; ++i) {
      const Wide r = static_cast<Wide>(-0.5) * (i + 1);
      b0[0] = r * a0[0];
      for (int m = 2; m <= i; ++m) {
        Wide inner = 0;
        for (int j = 1; j < m; ++j) inner += (j * r - (m - j)) * a0[j - 1] * b0[m - j - 1];
        b0[m - 1] = r * a0[m - 1] + inner / m;
      }
      c[i - 1] = b0[i - 1] / (i + 1);
      Wide inner = 0;
      for (int j = 1; j < i; ++j) inner += d[i - j - 1] * c[j - 1];
      d[i - 1] = -(inner + c[i - 1]);
    }
    j0 = sqrt_eighth * z_power + (n - 1) * j0;
    j1 = sqrt_eighth * z_next + n * j1;
    z_power *= z_square;
    z_next *= z_square;
    w *= w0;
    const Wide even = d[n - 1] * w * j0;
    w *= w0;
    const Wide odd = d[n] * w * j1;
    sum += even + odd;
    if (std::abs(even) + std::abs(odd) <= tiny<Wide> * sum) break;
  }
  return to_erf * sum;
}

template <class Wide> MT_EVERYWHERE bool is_below_mean(const BetaPoint<Wide>& p) {
  return is_near_large(p) ? p.a * p.y >= p.b * p.x : p.x < (p.a + 1) / (p.a + p.b + 2);
}

// I for x up to the mean, with full relative precision.
template <class Wide> MT_EVERYWHERE Wide beta_below_mean(const BetaPoint<Wide>& p) {
  if (is_near_large(p)) return beta_exponential(p) * beta_asymptotic(p);
  const Wide weight = beta_weight(p);
  return weight == 0 ? 0 : weight / p.a * beta_fraction(p.a, p.b, p.x).value;
}

template <class Wide> MT_EVERYWHERE Wide beta_lower(const BetaPoint<Wide>& p) {
  return is_below_mean(p) ? beta_below_mean(p) : 1 - beta_below_mean(mirrored(p));
}

// I_x(a, b); at the ends the limits.
template <class Wide> MT_EVERYWHERE double incomplete_beta(Wide a, Wide b, Wide x) {
  const bool has_limit = a >= 0 && b >= 0 && (a > 0 || b > 0) && !(std::isinf(a) && std::isinf(b));
  if (!has_limit || !(x >= 0 && x <= 1)) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0 || x == 1) return static_cast<double>(x);
  if (a == 0 || std::isinf(b)) return 1;
  if (b == 0 || std::isinf(a)) return 0;
  return static_cast<double>(beta_lower(beta_point(a, b, x)));
}

// The limit at an end where the density is proportional to the distance to the power of (a - 1): 1 / B(1, b) = b.
template <class Wide> MT_EVERYWHERE double beta_density_at_end(Wide a, Wide b) {
  return a < 1 ? std::numeric_limits<double>::infinity() : a == 1 ? static_cast<double>(b) : 0;
}

// The derivative of I for x; at the ends the limits.
template <class Wide> MT_EVERYWHERE double incomplete_beta_density(Wide a, Wide b, Wide x) {
  if (!(a > 0 && b > 0 && x >= 0 && x <= 1) || std::isinf(a) || std::isinf(b)) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0) return beta_density_at_end(a, b);
  if (x == 1) return beta_density_at_end(b, a);
  return static_cast<double>(beta_weight(beta_point(a, b, x)) / (x * (1 - x)));
}

// I divided by its weight near the mean, and the derivative for a or b by differences, which have 13 digits. The continued fraction would
// take a step for each standard deviation.
template <class Wide> MT_EVERYWHERE Sloped<Wide> beta_mills_ratio(BetaPoint<Wide> p, bool by_a) {
  Wide& changed = by_a ? p.a : p.b;
  const Wide middle = changed, unit = std::sqrt(2 * p.a / (p.a + p.b) * p.b), step = static_cast<Wide>(0.0005) * unit / (by_a ? p.y : p.x);
  Wide ratios[5];
  for (int i = 0; i < 5; ++i) {
    changed = middle + (i - 2) * step;
    ratios[i] = beta_asymptotic(p) / beta_root(p);
  }
  return {ratios[2], (8 * (ratios[3] - ratios[1]) - (ratios[4] - ratios[0])) / (12 * step)};
}

// dI/da or dI/db divided by the weight, for x up to the mean.
template <class Wide> MT_EVERYWHERE Wide beta_slope_below_mean(const BetaPoint<Wide>& p, bool by_a) {
  const Wide total = digamma_above(p.a + p.b);
  if (is_near_large(p) && std::min(p.a, p.b) > 1000) {
    const Sloped<Wide> ratio = beta_mills_ratio(p, by_a);
    return ratio.slope + ratio.value * (by_a ? p.log_x - digamma_above(p.a) + total : p.log_y - digamma_above(p.b) + total);
  }
  const BetaSloped<Wide> h = beta_fraction(p.a, p.b, p.x);
  const Wide by_log = by_a ? p.log_x - digamma_above(p.a + 1) + total : p.log_y - digamma_above(p.b) + total;
  return (h.value * by_log + (by_a ? h.by_a : h.by_b)) / p.a;
}

// dI/da or dI/db divided by the weight x^a y^b / B(a, b).
template <class Wide> MT_EVERYWHERE double incomplete_beta_slope(Wide a, Wide b, Wide x, bool by_a) {
  if (!(a > 0 && b > 0 && x >= 0 && x <= 1) || std::isinf(a) || std::isinf(b)) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0 || x == 1) return 0;
  const BetaPoint<Wide> p = beta_point(a, b, x);
  return static_cast<double>(is_below_mean(p) ? beta_slope_below_mean(p, by_a) : -beta_slope_below_mean(mirrored(p), !by_a));
}

// The point at a logarithm of the odds.
template <class Wide> MT_EVERYWHERE BetaPoint<Wide> beta_point_at(Wide a, Wide b, Wide odds) {
  const Wide less = std::exp(-std::abs(odds)), large = 1 / (1 + less), small = less / (1 + less), log_large = -std::log1p(less);
  if (odds > 0) return {a, b, large, small, log_large, log_large - odds};
  return {a, b, small, large, log_large + odds, log_large};
}

// The x with I_x(a, b) as given, by Newton's method for the logarithm of the smaller part as a function of the logarithm of the odds, as in
// inverse_incomplete_gamma.
template <class Wide> MT_EVERYWHERE double inverse_incomplete_beta(Wide a, Wide b, Wide given) {
  if (!(a > 0 && b > 0 && given >= 0 && given <= 1) || std::isinf(a) || std::isinf(b)) return std::numeric_limits<double>::quiet_NaN();
  if (given == 0 || given == 1) return static_cast<double>(given);
  Wide odds = digamma_above(a) - digamma_above(b), jump = 0;  // the last step of Newton's method, or what is left of it
  BetaPoint<Wide> at = beta_point_at(a, b, odds);
  const bool upper = given > beta_lower(at);
  const Wide target = upper ? std::log1p(-given) : std::log(given);
  for (int i = 0; i < 200; ++i) {
    const Wide part = beta_lower(upper ? mirrored(at) : at);
    const Wide full = (std::log(part) - target) * part / beta_weight(at);
    const bool advances = part > 0 && std::isfinite(full);
    jump = !advances ? jump / 2 : upper ? full : -full;
    const Wide step = advances ? jump : -jump;
    odds += step;
    at = beta_point_at(a, b, odds);
    if (std::abs(step) <= static_cast<Wide>(1e-11)) break;
  }
  return static_cast<double>(at.x);
}

}  // namespace mt
