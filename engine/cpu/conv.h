// 2-D convolution (cross-correlation, as everybody's "convolution" is) on contiguous memory, and its gradients.
// x (batch, in, h, w), weight (out, in / groups, kernel h, kernel w), bias (out) or null, y (batch, out, out_h, out_w)
#pragma once

#include <array>
#include <cstdint>

namespace mt::cpu {

// All int64_t, so that the whole is a key: see dnnl.cpp.
struct ConvShape {
  int64_t batch, in, h, w, out, kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, groups;

  int64_t out_h() const { return (h + 2 * pad_h - dilation_h * (kernel_h - 1) - 1) / stride_h + 1; }
  int64_t out_w() const { return (w + 2 * pad_w - dilation_w * (kernel_w - 1) - 1) / stride_w + 1; }
  int64_t patch() const { return in / groups * kernel_h * kernel_w; }  // elements of x that make one of y
  int64_t work() const { return batch * out * out_h() * out_w() * patch(); }
};

enum class ConvPass : int64_t { forward, input_grad, weight_grad };

// The way a pass takes, for reports: "dnnl", "gemm" (on the images as they are, 1x1 kernels), or "unfold" (patches copied, then gemm).
const char* conv_way(ConvPass pass, const ConvShape& shape, bool is_float32);

// forward writes y; input_grad writes x from weight and y; weight_grad writes weight, and bias where it isn't null, from x and y.
template <class T> void conv2d(ConvPass pass, const ConvShape& shape, T* x, T* weight, T* bias, T* y);

// The plain ways alone.
template <class T> void plain_conv2d(ConvPass pass, const ConvShape& shape, T* x, T* weight, T* bias, T* y);

}  // namespace mt::cpu
