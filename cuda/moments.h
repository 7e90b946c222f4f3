// Mean and squared deviations from it, in one pass over the elements.
#pragma once

#include "cuda/grid.h"

namespace mt::cuda {

// Two of them are merged by the formula of Chan, Golub & LeVeque (1979), "Updating formulae and a pairwise algorithm for computing sample
// variances".
struct Spread {
  double mean = 0, squares = 0, n = 0;

  MT_DEVICE void join(const Spread& later) {
    if (later.n == 0) return;
    const double all = n + later.n, delta = later.mean - mean, share = later.n / all;
    squares += later.squares + delta * delta * (n * share);
    mean += delta * share;
    n = all;
  }
};

// Sums of differences from the first element. As that element is part of the data, the squared deviations are at least 1/n of the sum of
// squares from which they are computed: there is little cancellation if n is small, or the first element is no outlier.
struct ShiftedSums {
  double shift = 0, sum = 0, squares = 0;
  int64_t n = 0;

  MT_DEVICE void take(double x) {
    if (n++ == 0) shift = x;
    const double d = x - shift;
    sum += d;
    squares += d * d;
  }
  MT_DEVICE void take_from_zero(double x) {  // for all elements or none
    ++n;
    squares += x * x;
  }
  MT_DEVICE Spread spread() const {
    if (n == 0) return {};
    const auto count = static_cast<double>(n);
    const double mean = sum / count, deviations = squares - sum * mean;
    return {shift + mean, deviations < 0 ? 0 : deviations, count};
  }
};

}  // namespace mt::cuda
