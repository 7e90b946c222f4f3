// Logarithms of the gamma and beta functions of one element above 0, for incomplete gamma and beta functions. `Wide` as in polygamma.h.
#pragma once

#include <algorithm>

#include "engine/ops/polygamma.h"

namespace mt {

template <class Wide> inline constexpr Wide tiny = std::numeric_limits<Wide>::epsilon() / 4;

// A value and a derivative.
template <class Wide> struct Sloped { Wide value, slope; };

// From this argument on, Stirling's series is exact.
inline constexpr double stirling_least = 10;

// log(1 + x) - x without cancellation: with r = x / (2 + x), log(1 + x) = 2 atanh(r), and x - 2 r = x r.
template <class Wide> MT_EVERYWHERE Wide log1p_minus(Wide x) {
  if (!(std::abs(x) < static_cast<Wide>(0.4))) return std::log1p(x) - x;
  const Wide r = x / (2 + x), square = r * r;
  Wide power = 2 * r * square, sum = 0;
  for (int n = 3; n < 60; n += 2, power *= square) {
    const Wide term = power / n;
    sum += term;
    if (std::abs(term) <= tiny<Wide> * std::abs(sum)) break;
  }
  return sum - x * r;
}

// Riemann's zeta(k) - 1, k from 2 to 23.
template <class Wide> MT_EVERYWHERE Wide zeta_less_one(int k) {
  constexpr double numbers[] = {0.6449340668482264,    0.2020569031595943,    0.08232323371113819,   0.03692775514336993,
                                0.01734306198444914,   0.008349277381922827,  0.00407735619794434,   0.0020083928260822143,
                                0.0009945751278180853, 0.0004941886041194645, 0.0002460865533080483, 0.00012271334757848915,
                                6.124813505870483e-05, 3.058823630702049e-05, 1.528225940865187e-05, 7.637197637899763e-06,
                                3.81729326499984e-06,  1.908212716553939e-06, 9.539620338727962e-07, 4.769329867878064e-07,
                                2.38450502727733e-07,  1.1921992596531106e-07};
  return static_cast<Wide>(numbers[k - 2]);
}

// log(gamma(1 + a)) from -0.5 on, with full relative precision near 0: a power series, of which log(1 + a) is taken out.
template <class Wide> MT_EVERYWHERE Wide lgamma_one_plus(Wide a) {
  if (std::abs(a) > static_cast<Wide>(0.25)) return std::log(std::tgamma(1 + a));
  Wide power = a * a, sum = 0;
  for (int k = 2; k <= 23; ++k, power *= -a) sum += zeta_less_one<Wide>(k) * power / k;
  return sum + (1 - std::numbers::egamma_v<Wide>)*a - std::log1p(a);
}

// log(gamma(a)) - ((a - 1/2) log(a) - a + log(2 pi) / 2), from `stirling_least` on.
template <class Wide> MT_EVERYWHERE Wide stirling_rest(Wide a) {
  const Wide square = 1 / (a * a);
  Wide power = 1 / a, sum = 0;
  for (int k = 1; k <= 8; ++k, power *= square) sum += bernoulli_number<Wide>(k) / (2 * k * (2 * k - 1)) * power;
  return sum;
}

// std::lgamma writes to a global variable.
template <class Wide> MT_EVERYWHERE Wide log_gamma(Wide a) {
  if (a < static_cast<Wide>(0.5)) return lgamma_one_plus(a) - std::log(a);
  if (a < static_cast<Wide>(stirling_least)) return std::log(std::tgamma(a));
  constexpr auto pi = std::numbers::pi_v<Wide>;
  return (a - static_cast<Wide>(0.5)) * std::log(a) - a + std::log(2 * pi) / 2 + stirling_rest(a);
}

// The logarithm of the beta function gamma(a) gamma(b) / gamma(a + b), whose terms would cancel for large a or b.
template <class Wide> MT_EVERYWHERE Wide log_beta(Wide a, Wide b) {
  if (a > b) return log_beta(b, a);
  const auto least = static_cast<Wide>(stirling_least), half = static_cast<Wide>(0.5);
  if (b < least) return log_gamma(a) + log_gamma(b) - log_gamma(a + b);
  const Wide ratio = a / b, rest = stirling_rest(b) - stirling_rest(a + b);
  if (a < least) return log_gamma(a) - b * log1p_minus(ratio) - (a - half) * std::log1p(ratio) - a * std::log(b) + rest;
  constexpr auto pi = std::numbers::pi_v<Wide>;
  return std::log(2 * pi / b) / 2 + (a - half) * std::log(a / (a + b)) - b * std::log1p(ratio) + stirling_rest(a) + rest;
}

// The same for any arguments, in double.
template <class Wide> MT_EVERYWHERE double log_beta_of(Wide a, Wide b) {
  if (!(a >= 0 && b >= 0)) return std::numeric_limits<double>::quiet_NaN();
  if (a == 0 || b == 0) return std::isinf(a + b) ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  if (std::isinf(a) || std::isinf(b)) return -std::numeric_limits<double>::infinity();
  return static_cast<double>(log_beta(a, b));
}

}  // namespace mt
