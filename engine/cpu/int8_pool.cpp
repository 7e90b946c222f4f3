// Max pooling of 8-bit integers, channels last: the channels of a window are compared in vectors.
#include "engine/cpu/int8_pool.h"

#include <algorithm>
#include <limits>

#include "engine/core/parallel.h"

namespace mt::cpu {
namespace {

template <class T> void pool_lines(const Int8MaxPoolPlan& plan, int64_t begin, int64_t end) {
  const PoolAxis &h = plan.shape.h, &w = plan.shape.w;
  const int64_t channels = plan.shape.channels;
  for (int64_t line = begin; line < end; ++line) {
    const T* const image = plan.x.data<T>() + line / h.out * h.size * w.size * channels;
    const int64_t top = line % h.out * h.stride - h.pad;
    const PoolRange rows = h.taps(top);
    T* to = plan.y.data<T>() + line * w.out * channels;
    for (int64_t column = 0; column < w.out; ++column, to += channels) {
      const int64_t left = column * w.stride - w.pad;
      const PoolRange columns = w.taps(left);
      std::fill_n(to, channels, std::numeric_limits<T>::min());
      for (int64_t ky = rows.first; ky < rows.last; ++ky) {
        for (int64_t kx = columns.first; kx < columns.last; ++kx) {
          const T* const from = image + ((top + ky * h.dilation) * w.size + left + kx * w.dilation) * channels;
          for (int64_t c = 0; c < channels; ++c) to[c] = std::max(to[c], from[c]);
        }
      }
    }
  }
}

}  // namespace

void run_int8_max_pool(const Int8MaxPoolPlan& plan) {
  const PoolShape& s = plan.shape;
  const int64_t of_line = s.w.out * s.channels * s.h.kernel * s.w.kernel;
  parallel_for(s.planes * s.h.out, std::max<int64_t>(1, 262144 / std::max<int64_t>(1, of_line)), [&](int64_t begin, int64_t end) {
    if (plan.y.dtype() == DType::uint8)
      pool_lines<uint8_t>(plan, begin, end);
    else
      pool_lines<int8_t>(plan, begin, end);
  });
}

}  // namespace mt::cpu
