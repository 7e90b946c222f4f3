// What a device provides for the pooling in pool-inl.h; shapes, dtypes and results are dealt with before.
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

// All operands are contiguous, or have their channels last without gaps; float32 or float64.
struct PoolKernels {
  // y and, counted from 1 in row-major order of its plane, where each maximum came from. NaN counts as the greatest.
  void (*max)(DType dtype, const PoolShape& shape, const std::byte* x, std::byte* y, int64_t* indices);
  // x_grad from g; of the shape, sizes and numbers of windows count alone. False when an index lies outside.
  bool (*max_grad)(DType dtype, const PoolShape& shape, const std::byte* g, const int64_t* indices, std::byte* x_grad);
  void (*average)(DType dtype, const PoolShape& shape, bool count_pad, const std::byte* x, std::byte* y);
  void (*average_grad)(DType dtype, const PoolShape& shape, bool count_pad, const std::byte* g, std::byte* x_grad);
};

// By the layout of the images.
struct PoolLayouts {
  const PoolKernels *channels_first, *channels_last;
};

}  // namespace mt
