// Sums of exponentials without overflow.
#pragma once

#include <cmath>
#include <limits>

#include "cuda/grid.h"

namespace mt::cuda {

// The largest element so far, and the sum of exponentials of the distances from it. Where a larger one comes the sum is scaled. Source:
// Milakov & Gimelshein (2018), "Online normalizer calculation for softmax", arXiv:1805.02867.
template <class T> struct Exponentials {
  T top = -std::numeric_limits<T>::infinity();
  double sum = 0;

  // As many terms as exp(x).
  MT_DEVICE void add(T x, double terms) {
    if (terms == 0) return;
    const T distance = x == top ? T(0) : x - top;  // 0 of two that are infinite
    const double scale = static_cast<double>(std::exp(-std::fabs(distance)));
    if (distance > 0) {
      sum = sum * scale + terms;
      top = x;
    } else {
      sum += terms * scale;
    }
  }
};

}  // namespace mt::cuda
