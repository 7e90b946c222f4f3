// Sums of exponentials without overflow.
#pragma once

#include <cmath>
#include <limits>

#include "cuda/grid.h"

namespace mt::cuda {

// The maximum so far, and the sum of exponentials of the differences from it. A new maximum scales the sum. Source: Milakov & Gimelshein
// (2018), "Online normalizer calculation for softmax", arXiv:1805.02867.
template <class T> struct Exponentials {
  T top = -std::numeric_limits<T>::infinity();
  double sum = 0;

  // Adds exp(x) `terms` times.
  MT_DEVICE void add(T x, double terms) {
    if (terms == 0) return;
    const T distance = x == top ? T(0) : x - top;  // 0 for equal infinities
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
