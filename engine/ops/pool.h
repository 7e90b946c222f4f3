// What a device provides for the pooling in pool-inl.h; shapes, dtypes and results are dealt with before.
#pragma once

#include "engine/core/registry.h"

namespace mt {

struct PoolShape {
  int64_t planes, h, w, out_h, out_w, kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w, dilation_h = 1, dilation_w = 1;
};

// All operands are contiguous, float32 or float64. Planes follow each other.
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
