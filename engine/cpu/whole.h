// Rounds floats for a result of integers.
#pragma once

#include <algorithm>
#include <cmath>

#include "engine/core/parallel.h"
#include "engine/core/tensor.h"
#include "engine/ops/whole.h"

namespace mt::cpu {

// y is contiguous, of float32 or float64. Halves are rounded up, as in Torch7; NaN becomes the least integer.
inline void round_whole(const Tensor& y, const Whole& whole) {
  if (!whole.rounds) return;
  const auto round_as = [&]<class T>(T* values) {
    parallel_for(y.numel(), 32768, [&](int64_t begin, int64_t end) {
      const auto least = static_cast<T>(whole.least), most = static_cast<T>(whole.most);
      for (int64_t i = begin; i < end; ++i) {
        const T v = std::floor(values[i] + T(0.5));
        values[i] = v > least ? std::min(v, most) : least;
      }
    });
  };
  if (y.dtype() == DType::float32)
    round_as(y.data<float>());
  else
    round_as(y.data<double>());
}

}  // namespace mt::cpu
