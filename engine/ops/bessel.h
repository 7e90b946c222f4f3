// Bessel functions of order 0 and 1 of one element. `Wide` as in polygamma.h. Sources: DLMF 10.2, 10.8, 10.25, 10.31 (series), 10.17, 10.40
// (large arguments), 10.23.15 (Neumann's series), 10.32.9 (integral).
#pragma once

#include "engine/ops/gamma_functions.h"

namespace mt {

template <class Wide> struct BesselPair { Wide first, second; };

// The sum of (sign x^2 / 4)^k / (k! (k + n)!), and that of its terms times psi(k + 1) + psi(k + n + 1).
template <class Wide> MT_EVERYWHERE BesselPair<Wide> bessel_series(int n, Wide x, Wide sign) {
  const Wide step = sign * x * x / 4;
  Wide term = 1, psi = n - 2 * std::numbers::egamma_v<Wide>, sum = 1, weighted = psi;
  for (int k = 1; k < 500; ++k) {
    term *= step / (k * static_cast<Wide>(k + n));
    psi += 1 / static_cast<Wide>(k) + 1 / static_cast<Wide>(k + n);
    sum += term;
    weighted += term * psi;
    if (!(std::abs(term * psi) > tiny<Wide> * std::abs(sum))) break;
  }
  return {sum, weighted};
}

// The sums of a_k(n) / x^k for even and odd k, with alternating signs in each if `alternates`; else the odd ones count as negative.
template <class Wide> MT_EVERYWHERE BesselPair<Wide> hankel_sums(int n, Wide x, bool alternates) {
  Wide term = 1, even = 1, odd = 0;
  for (int k = 1; k < 100; ++k) {
    const Wide before = std::abs(term), root = 2 * k - 1;
    term *= (4 * n * n - root * root) / (8 * k * x);
    if (std::abs(term) > before || !(std::abs(term) > tiny<Wide> / 16)) break;
    const Wide sign = alternates && k / 2 % 2 == 1 ? -1 : 1;
    (k % 2 == 0 ? even : odd) += sign * term;
  }
  return {even, odd};
}

// J_n and Y_n of x > 0.
template <class Wide> MT_EVERYWHERE BesselPair<Wide> bessel_far(int n, Wide x) {
  const BesselPair<Wide> sums = hankel_sums(n, x, true);
  const Wide sine = std::sin(x), cosine = std::cos(x), root = 1 / std::sqrt(std::numbers::pi_v<Wide> * x);
  const Wide c = n == 0 ? cosine + sine : sine - cosine, s = n == 0 ? sine - cosine : -sine - cosine;
  return {root * (sums.first * c - sums.second * s), root * (sums.first * s + sums.second * c)};
}

template <class Wide> MT_EVERYWHERE BesselPair<Wide> bessel_near_zero(int n, Wide x) {
  constexpr auto pi = std::numbers::pi_v<Wide>;
  const BesselPair<Wide> sums = bessel_series<Wide>(n, x, -1);
  const Wide power = n == 0 ? 1 : x / 2, j = power * sums.first;
  return {j, (2 * std::log(x / 2) * j - power * sums.second - (n == 0 ? 0 : 2 / x)) / pi};
}

// By Miller's recurrence from a high order down, and Neumann's series.
template <class Wide> MT_EVERYWHERE BesselPair<Wide> bessel_between(int n, Wide x) {
  constexpr auto pi = std::numbers::pi_v<Wide>;
  Wide above = 0, at = std::numeric_limits<Wide>::min(), total = 0, neumann = 0;
  const int start = 2 * static_cast<int>((x + 46) / 2);
  Wide one = 0;
  for (int k = start; k > 0; --k) {  // `at` is J_k, `above` J_(k + 1), but for a factor
    const Wide below = 2 * k / x * at - above;
    if (k % 2 == 0) {
      total += 2 * at;
      const Wide sign = k / 2 % 2 == 0 ? 1 : -1;
      neumann += sign * (n == 0 ? at : (below - above) / 2) / (k / 2);
    }
    if (k == 1) one = at;
    above = at;
    at = below;
  }
  total += at;
  const Wide j0 = at / total, j1 = one / total, log_half = std::log(x / 2) + std::numbers::egamma_v<Wide>;
  if (n == 0) return {j0, (2 * log_half * j0 - 4 * neumann / total) / pi};
  return {j1, (2 * log_half * j1 - 2 * j0 / x + 4 * neumann / total) / pi};
}

template <class Wide> MT_EVERYWHERE BesselPair<Wide> bessel_of(int n, Wide x) {
  return x < 2 ? bessel_near_zero(n, x) : x < 25 ? bessel_between(n, x) : bessel_far(n, x);
}

template <class Wide> MT_EVERYWHERE double bessel_j(int n, Wide x) {
  if (std::isnan(x)) return static_cast<double>(x);
  if (x == 0 || std::isinf(x)) return x == 0 && n == 0 ? 1 : 0;
  return static_cast<double>((n == 1 && x < 0 ? -1 : 1) * bessel_of(n, std::abs(x)).first);
}

template <class Wide> MT_EVERYWHERE double bessel_y(int n, Wide x) {
  if (!(x >= 0)) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0) return -std::numeric_limits<double>::infinity();
  return std::isinf(x) ? 0 : static_cast<double>(bessel_of(n, x).second);
}

// exp(-|x|) I_n(x).
template <class Wide> MT_EVERYWHERE Wide scaled_bessel_i(int n, Wide x) {
  const Wide magnitude = std::abs(x), sign = n == 1 && x < 0 ? -1 : 1;
  if (!(magnitude >= 30)) return sign * std::exp(-magnitude) * (n == 0 ? 1 : magnitude / 2) * bessel_series<Wide>(n, magnitude, 1).first;
  if (std::isinf(x)) return 0;
  const BesselPair<Wide> sums = hankel_sums(n, magnitude, false);
  return sign * (sums.first - sums.second) / std::sqrt(2 * std::numbers::pi_v<Wide> * magnitude);
}

template <class Wide> MT_EVERYWHERE double bessel_i(int n, Wide x, bool scaled) {
  const Wide value = scaled_bessel_i(n, x);
  if (scaled || std::isnan(x)) return static_cast<double>(value);
  if (std::isinf(x)) return static_cast<double>(n == 1 ? x : std::abs(x));
  const Wide half = std::exp(std::abs(x) / 2);  // exp of the whole might be infinite
  return static_cast<double>(half * value * half);
}

// exp(x) K_n(x): the trapezoidal rule, whose error is exponentially small in the inverse of the step.
template <class Wide> MT_EVERYWHERE Wide scaled_bessel_k(int n, Wide x) {
  if (x <= 1) {
    const BesselPair<Wide> sums = bessel_series<Wide>(n, x, 1);
    const Wide by_log = std::log(x / 2) * (n == 0 ? -1 : x / 2) * sums.first, rest = (n == 0 ? 1 : -x / 2) * sums.second / 2;
    return std::exp(x) * (by_log + rest + (n == 0 ? 0 : 1 / x));
  }
  const Wide step = std::min(static_cast<Wide>(0.2), static_cast<Wide>(0.5) / std::sqrt(x));
  Wide sum = static_cast<Wide>(0.5);
  for (int i = 1; i < 1000; ++i) {
    const Wide half = std::sinh(i * step / 2), term = std::exp(-2 * x * half * half) * (n == 0 ? 1 : std::cosh(i * step));
    sum += term;
    if (!(term > tiny<Wide> / 16)) break;
  }
  return sum * step;
}

template <class Wide> MT_EVERYWHERE double bessel_k(int n, Wide x, bool scaled) {
  if (!(x >= 0)) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0) return std::numeric_limits<double>::infinity();
  if (std::isinf(x)) return 0;
  return static_cast<double>(scaled_bessel_k(n, x) * (scaled ? 1 : std::exp(-x)));
}

// sin(x) / x.
template <class Wide> MT_EVERYWHERE double spherical_bessel_j0(Wide x) {
  return x == 0 ? 1 : std::isinf(x) ? 0 : static_cast<double>(std::sin(x) / x);
}

}  // namespace mt
