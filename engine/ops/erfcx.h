// exp(x^2) erfc(x) of one element. `Wide` as in polygamma.h.
#pragma once

#include "engine/ops/polygamma.h"

namespace mt {

// From 2 on the continued fraction DLMF 7.9.1, from its end: fewer terms for larger x.
template <class Wide> MT_EVERYWHERE Wide erfcx_of(Wide x) {
  if (!(x >= 2)) return std::exp(x * x) * std::erfc(x);
  Wide fraction = x;
  for (int n = 20 + static_cast<int>(300 / (x * x)); n > 0; --n) fraction = x + n / (2 * fraction);
  return 1 / (std::sqrt(std::numbers::pi_v<Wide>) * fraction);
}

}  // namespace mt
