// What a device provides for the pooling in pool-inl.h; shapes, dtypes and results are dealt with before.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// One direction in which windows lie side by side.
struct PoolAxis {
  int64_t size = 1, out = 1, kernel = 1, stride = 1, pad = 0, dilation = 1;
};

// Images of 2 dimensions have depth 1.
struct PoolShape {
  int64_t planes = 0;  // of depth x height x width elements, one after the other
  PoolAxis d, h, w;

  int64_t plane() const { return d.size * h.size * w.size; }
  int64_t windows() const { return d.out * h.out * w.out; }
};

// All operands are contiguous, float32 or float64.
struct PoolKernels {
  // y and, counted from 1 in row-major order of its plane, where each maximum came from. NaN counts as the greatest.
  void (*max)(DType dtype, const PoolShape& shape, const std::byte* x, std::byte* y, int64_t* indices);
  // x_grad of `plane` elements a plane, from g of `windows` elements a plane. False when an index lies outside.
  bool (*max_grad)(DType dtype, int64_t planes, int64_t plane, int64_t windows, const std::byte* g, const int64_t* indices,
                   std::byte* x_grad);
  void (*average)(DType dtype, const PoolShape& shape, bool count_pad, const std::byte* x, std::byte* y);
  void (*average_grad)(DType dtype, const PoolShape& shape, bool count_pad, const std::byte* g, std::byte* x_grad);
};

}  // namespace mt
