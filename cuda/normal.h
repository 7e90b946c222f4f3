// The arithmetic of normalisations per element, and the sums of their gradients.
#pragma once

#include <cmath>

#include "cuda/grid.h"

namespace mt::cuda {

// (x - mean) factor + bias: the difference uses the mean rounded to T, and the shift compensates the rounding error.
template <class T> struct Normal {
  T mean, factor, shift;

  MT_DEVICE Normal(double m, double scale, double bias = 0) : mean(static_cast<T>(m)), factor(static_cast<T>(scale)) {
    shift = static_cast<T>(bias - (m - static_cast<double>(mean)) * scale);
  }
  MT_DEVICE T operator()(T x) const { return std::fma(x - mean, factor, shift); }
};

struct TwoSums {
  double first = 0, second = 0;
  MT_DEVICE void add(double a, double b) {
    first += a;
    second += b;
  }
};

}  // namespace mt::cuda
