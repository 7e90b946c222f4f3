// The plans of pooling, in 2 and 3 dimensions.
#pragma once

#include "engine/core/image_layout.h"
#include "engine/core/registry.h"

namespace mt {

template <class N> struct PoolRangeOf {
  N first, last;  // [first, last)
  constexpr N count() const { return last - first; }
};

// One dimension of the images, with its windows. Numbers are of type N; divisors may have another type with fast division.
template <class N, class Divisor = N> struct PoolAxisOf {
  using Range = PoolRangeOf<N>;
  N size = 1, out = 1, kernel = 1;
  Divisor stride = 1;
  N pad = 0;
  Divisor dilation = 1;

  // The taps of a window at `start` that are inside the image.
  constexpr Range taps(N start) const {
    if (start >= 0 && start + (kernel - 1) * dilation < size) return {0, kernel};
    const N first = least(kernel, start >= 0 ? 0 : (-start + dilation - 1) / dilation);
    const N last = start >= size ? 0 : (size - 1 - start) / dilation + 1;
    return {first, greatest(first, least(last, kernel))};
  }

  // The windows whose taps are all inside the image.
  constexpr Range whole_windows() const {
    const N first = least((pad + stride - 1) / stride, out), room = size - 1 - (kernel - 1) * dilation + pad;
    return {first, room < 0 ? first : greatest(first, least(room / stride + 1, out))};
  }

  // The windows, without dilation, that have a tap at `place`.
  constexpr Range windows_over(N place) const {
    const N first = least(out, greatest(0, place + pad - kernel + stride) / stride);
    return {first, greatest(first, least((place + pad) / stride + 1, out))};
  }

  // The number of elements that the mean of a window divides by.
  constexpr N counted(N window, bool count_pad) const {
    const N start = window * stride - pad, end = least(start + kernel, size + pad);
    return count_pad ? end - start : least(end, size) - greatest(start, 0);
  }

 private:
  // By value: in GPU kernels std::min would force its operands into memory, because it returns a reference.
  static constexpr N least(N a, N b) { return a < b ? a : b; }
  static constexpr N greatest(N a, N b) { return a > b ? a : b; }
};
using PoolRange = PoolRangeOf<int64_t>;
using PoolAxis = PoolAxisOf<int64_t>;

// Images of 2 dimensions have depth 1.
struct PoolShape {
  int64_t planes = 0;    // of depth x height x width positions, one after the other
  int64_t channels = 1;  // adjacent elements at each position; 1 if channels come first: then each channel is a plane
  PoolAxis d, h, w;

  int64_t plane() const { return d.size * h.size * w.size; }
  int64_t windows() const { return d.out * h.out * w.out; }
};

// All images have elements, are float32 or float64, without gaps, with channels first or last as the shape says.
struct MaxPoolPlan {
  PoolShape shape;
  Operand x;
  Operand y, indices;  // results; indices, int64: position of each maximum, counted from 1 in row-major order of its plane
};

// Uses only the sizes and the numbers of windows of the shape.
struct MaxPoolGradPlan {
  PoolShape shape;
  Operand g, indices;
  Operand x_grad;  // result
  // Whether an index was outside of its plane; the kernel skips such windows.
  Answer<bool> outside{};
};

struct AvgPoolPlan {
  PoolShape shape;
  bool count_pad;
  Operand x;
  Operand y;  // result
};

struct AvgPoolGradPlan {
  PoolShape shape;
  bool count_pad;
  Operand g;
  Operand x_grad;  // result
};

// The shape of maxPool2d or maxPool3d for argument 0, images in this layout, from all arguments.
PoolShape max_pool_shape(const Call& call, int dims, ImageLayout layout);
// The same for means, without dilations; the windows' arguments start at `first`.
PoolShape avg_pool_shape(const Call& call, int first, int dims, ImageLayout layout);

// dims: number of dimensions of the images, 2 or 3.
void plan_max_pool(Call& call, int dims);
void plan_max_pool_grad(Call& call, int dims);
void plan_avg_pool(Call& call, int dims);
void plan_avg_pool_grad(Call& call, int dims);

}  // namespace mt
