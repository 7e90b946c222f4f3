// Orthogonal polynomials of one element, by their recurrences (DLMF 18.9). `Wide` as in polygamma.h.
#pragma once

#include "engine/ops/polygamma.h"

namespace mt {

// The polynomial of degree n with p_0 = 1, p_1 = first, p_(k + 1) = (slope x + shift) p_k - back p_(k - 1), whose coefficients `step`
// returns for k. Degrees are truncated to whole numbers; below 0 the value is 0, and beyond a million NaN.
template <class Wide, class Step> MT_EVERYWHERE double by_recurrence(Wide degree, Wide first, Step step) {
  if (!(degree < 1000001) || std::isnan(first)) return std::numeric_limits<double>::quiet_NaN();
  if (degree < 0) return 0;
  const int n = static_cast<int>(degree);
  Wide before = 1, at = first;
  for (int k = 1; k < n; ++k) {
    const Wide next = step(static_cast<Wide>(k), at, before);
    before = at;
    at = next;
  }
  return static_cast<double>(n == 0 ? before : at);
}

// T, U, V and W have the recurrence p_(k + 1) = 2 x p_k - p_(k - 1) and differ in the polynomial of degree 1.
template <class Wide> MT_EVERYWHERE double chebyshev(Wide x, Wide n, Wide first) {
  return by_recurrence(n, first, [x](Wide, Wide at, Wide before) { return 2 * x * at - before; });
}
template <class Wide> MT_EVERYWHERE double hermite_h(Wide x, Wide n) {
  return by_recurrence(n, 2 * x, [x](Wide k, Wide at, Wide before) { return 2 * (x * at - k * before); });
}
template <class Wide> MT_EVERYWHERE double hermite_he(Wide x, Wide n) {
  return by_recurrence(n, x, [x](Wide k, Wide at, Wide before) { return x * at - k * before; });
}
template <class Wide> MT_EVERYWHERE double laguerre_l(Wide x, Wide n) {
  return by_recurrence(n, 1 - x, [x](Wide k, Wide at, Wide before) { return ((2 * k + 1 - x) * at - k * before) / (k + 1); });
}
template <class Wide> MT_EVERYWHERE double legendre_p(Wide x, Wide n) {
  return by_recurrence(n, x, [x](Wide k, Wide at, Wide before) { return ((2 * k + 1) * x * at - k * before) / (k + 1); });
}

}  // namespace mt
