// The plans of pooling, in 2 and 3 dimensions.
#pragma once

#include <algorithm>

#include "engine/core/registry.h"

namespace mt {

struct PoolRange {
  int64_t first, last;  // [first, last)
  int64_t count() const { return last - first; }
};

// One direction in which windows lie side by side.
struct PoolAxis {
  int64_t size = 1, out = 1, kernel = 1, stride = 1, pad = 0, dilation = 1;

  // The taps of a window at `start` that fall on the image.
  PoolRange taps(int64_t start) const {
    if (start >= 0 && start + (kernel - 1) * dilation < size) return {0, kernel};
    const int64_t first = std::min(kernel, start >= 0 ? 0 : (-start + dilation - 1) / dilation);
    const int64_t last = start >= size ? 0 : (size - 1 - start) / dilation + 1;
    return {first, std::clamp(last, first, kernel)};
  }

  // The windows all of whose taps fall on the image.
  PoolRange whole_windows() const {
    const int64_t first = std::min((pad + stride - 1) / stride, out), room = size - 1 - (kernel - 1) * dilation + pad;
    return {first, room < 0 ? first : std::clamp(room / stride + 1, first, out)};
  }

  // The windows, not dilated, that have a tap at `place`.
  PoolRange windows_over(int64_t place) const {
    const int64_t first = std::min(out, std::max<int64_t>(0, place + pad - kernel + stride) / stride);
    return {first, std::clamp((place + pad) / stride + 1, first, out)};
  }

  // How many elements the mean of a window is taken over.
  int64_t counted(int64_t window, bool count_pad) const {
    const int64_t start = window * stride - pad, end = std::min(start + kernel, size + pad);
    return count_pad ? end - start : std::min(end, size) - std::max<int64_t>(start, 0);
  }
};

// Images of 2 dimensions have depth 1.
struct PoolShape {
  int64_t planes = 0;    // of depth x height x width places, one after the other
  int64_t channels = 1;  // elements at each place, side by side; 1 where channels come first: each has a plane of its own
  PoolAxis d, h, w;

  int64_t plane() const { return d.size * h.size * w.size; }
  int64_t windows() const { return d.out * h.out * w.out; }
};

// All images have elements, are float32 or float64 and lie without gaps, with their channels first or last as the shape says.
struct MaxPoolPlan {
  PoolShape shape;
  const Tensor& x;
  const Tensor &y, &indices;  // results; indices, int64: where each maximum came from, counted from 1 in row-major order of its plane
};

// Of the shape, sizes and numbers of windows count alone.
struct MaxPoolGradPlan {
  PoolShape shape;
  const Tensor &g, &indices;
  const Tensor& x_grad;  // result
  bool* inside;          // the kernel makes it false where an index lies outside of its plane
};

struct AvgPoolPlan {
  PoolShape shape;
  bool count_pad;
  const Tensor& x;
  const Tensor& y;  // result
};

struct AvgPoolGradPlan {
  PoolShape shape;
  bool count_pad;
  const Tensor& g;
  const Tensor& x_grad;  // result
};

// dims: of the images, 2 or 3.
void plan_max_pool(Call& call, int dims);
void plan_max_pool_grad(Call& call, int dims);
void plan_avg_pool(Call& call, int dims);
void plan_avg_pool_grad(Call& call, int dims);

}  // namespace mt
