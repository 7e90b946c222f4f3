// Convolution (cross-correlation, as everybody's "convolution" is) in 1 to 3 dimensions on contiguous memory, and its gradients.
// x (batch, in, sizes…), weight (out, in / groups, kernel sizes…), bias (out) or null, y (batch, out, result's sizes…); or x and y with
// their channels last.
#pragma once

#include "engine/ops/conv.h"

namespace mt::cpu {

// The way a pass takes, for reports: "depthwise", "shallow", "dnnl", "gemm" (on the images as they are, 1x1 kernels), or "unfold" (patches
// copied, then gemm).
const char* conv_way(ConvPass pass, const ConvShape& shape, bool is_float32);

// Operands as ConvPass says.
template <class T> void conv(ConvPass pass, const ConvShape& shape, T* x, T* weight, T* bias, T* y);
template <class T> void conv_channels_last(ConvPass pass, const ConvShape& shape, T* x, T* weight, T* bias, T* y);

// The plain ways alone.
template <class T> void plain_conv(ConvPass pass, const ConvShape& shape, T* x, T* weight, T* bias, T* y);

}  // namespace mt::cpu
