// 2-D convolution (cross-correlation, as everybody's "convolution" is) on contiguous memory, and its gradients.
// x (batch, in, h, w), weight (out, in / groups, kernel h, kernel w), bias (out) or null, y (batch, out, out_h, out_w)
#pragma once

#include "engine/ops/conv.h"

namespace mt::cpu {

// The way a pass takes, for reports: "dnnl", "gemm" (on the images as they are, 1x1 kernels), or "unfold" (patches copied, then gemm).
const char* conv_way(ConvPass pass, const ConvShape& shape, bool is_float32);

// Operands as ConvPass says.
template <class T> void conv2d(ConvPass pass, const ConvShape& shape, T* x, T* weight, T* bias, T* y);

// The plain ways alone.
template <class T> void plain_conv2d(ConvPass pass, const ConvShape& shape, T* x, T* weight, T* bias, T* y);

}  // namespace mt::cpu
