// What a device provides for the convolutions in conv-inl.h; shapes, dtypes and results are dealt with before.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// x (batch, in, h, w), weight (out, in / groups, kernel_h, kernel_w), y (batch, out, out_h, out_w). All int64_t, so that it serves as a
// key.
struct ConvShape {
  int64_t batch, in, h, w, out, kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, groups;

  int64_t out_h() const { return (h + 2 * pad_h - dilation_h * (kernel_h - 1) - 1) / stride_h + 1; }
  int64_t out_w() const { return (w + 2 * pad_w - dilation_w * (kernel_w - 1) - 1) / stride_w + 1; }
  int64_t patch() const { return in / groups * kernel_h * kernel_w; }  // elements of x that make one of y
  int64_t work() const { return batch * out * out_h() * out_w() * patch(); }
};

// forward writes y; input_grad writes x from weight and y; weight_grad writes weight, and bias where it isn't null, from x and y.
enum class ConvPass : int64_t { forward, input_grad, weight_grad };

struct ConvKernels {
  // All operands are contiguous, float32 or float64; bias may be null.
  void (*run)(DType dtype, ConvPass pass, const ConvShape& shape, std::byte* x, std::byte* weight, std::byte* bias, std::byte* y);
};

}  // namespace mt
