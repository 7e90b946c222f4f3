// Orthogonal polynomials of one element, by their recurrences (DLMF 18.9). `Wide` as in polygamma.h.
#pragma once

#include "engine/ops/polygamma.h"

namespace mt {

// The polynomial of degree n with p_0 = 1, p_1 = first, p_(k + 1) = (slope x + shift) p_k - back p_(k - 1), whose coefficients `step`
// returns for k. Degrees are truncated to whole numbers; below 0 the value is 0, and beyond a million NaN. Values beyond the range of
// doubles are infinite with their sign: large ones are scaled, as infinite ones would become NaN in the next step. The argument is
// `outside` if it lies beyond all zeros: values then grow with constant or alternating signs, so that infinite ones need no more steps.
template <class Wide, class Step> MT_EVERYWHERE double by_recurrence(Wide degree, Wide first, bool outside, Step step) {
  if (!(degree < 1000001) || std::isnan(first)) return std::numeric_limits<double>::quiet_NaN();
  if (degree < 0) return 0;
  const int n = static_cast<int>(degree);
  if (n == 0) return 1;
  constexpr int half_range = std::numeric_limits<Wide>::max_exponent / 2;
  const Wide large = std::ldexp(Wide{1}, half_range);
  const auto infinite = [n](int k, Wide at, Wide before) {  // of degree n, from the signs of degrees k and k - 1
    const bool alternates = (at < 0) != (before < 0);
    const bool negative = (at < 0) != (alternates && (n - k) % 2 != 0);
    return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  };
  Wide before = 1, at = first;
  int scaled = 0;
  for (int k = 1; k < n; ++k) {
    if (std::isinf(at)) return infinite(k, at, before);  // an argument so large that it lies beyond all zeros
    if (std::fabs(at) > large) {
      at = std::ldexp(at, -half_range);
      before = std::ldexp(before, -half_range);
      ++scaled;
      if (outside && scaled * half_range > std::numeric_limits<double>::max_exponent) return infinite(k, at, before);
    }
    const Wide next = step(static_cast<Wide>(k), at, before);
    before = at;
    at = next;
  }
  return static_cast<double>(scaled == 0 ? at : std::ldexp(at, scaled * half_range));
}

// T, U, V and W have the recurrence p_(k + 1) = 2 x p_k - p_(k - 1) and differ in the polynomial of degree 1.
template <class Wide> MT_EVERYWHERE double chebyshev(Wide x, Wide n, Wide first) {
  return by_recurrence(n, first, std::fabs(x) > 1, [x](Wide, Wide at, Wide before) { return 2 * x * at - before; });
}
template <class Wide> MT_EVERYWHERE double hermite_h(Wide x, Wide n) {
  return by_recurrence(n, 2 * x, x * x > 2 * n + 1, [x](Wide k, Wide at, Wide before) { return 2 * (x * at - k * before); });
}
template <class Wide> MT_EVERYWHERE double hermite_he(Wide x, Wide n) {
  return by_recurrence(n, x, x * x > 4 * n + 2, [x](Wide k, Wide at, Wide before) { return x * at - k * before; });
}
template <class Wide> MT_EVERYWHERE double laguerre_l(Wide x, Wide n) {
  return by_recurrence(n, 1 - x, x < 0 || x > 4 * n + 2,
                       [x](Wide k, Wide at, Wide before) { return ((2 * k + 1 - x) * at - k * before) / (k + 1); });
}
template <class Wide> MT_EVERYWHERE double legendre_p(Wide x, Wide n) {
  return by_recurrence(n, x, std::fabs(x) > 1, [x](Wide k, Wide at, Wide before) { return ((2 * k + 1) * x * at - k * before) / (k + 1); });
}

}  // namespace mt
