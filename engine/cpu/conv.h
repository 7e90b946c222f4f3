// Which method computes a convolution (cross-correlation, as everybody's "convolution" is), and its passes on memory: x (batch, in,
// sizes…), weight (out, in / groups, kernel sizes…), bias (out) or null, y (batch, out, result's sizes…); or x and y with their channels
// last.
#pragma once

#include "engine/ops/conv.h"

namespace mt::cpu {

enum class ConvMethod {
  depthwise,
  few_channels,
  winograd,
  dnnl,
  product,  // a matrix product of the images as they are, of 1x1 kernels
  unfold    // patches are copied, then multiplied
};
ConvMethod conv_method(ConvPass pass, const ConvShape& shape, bool is_float32);

// Operands as ConvPass says; a bias is added to y alone.
template <class T> void conv(ConvPass pass, const ConvShape& shape, T* x, T* weight, T* bias, T* y);
template <class T> void conv_channels_last(ConvPass pass, const ConvShape& shape, T* x, T* weight, T* bias, T* y);

// By product and unfold alone.
template <class T> void plain_conv(ConvPass pass, const ConvShape& shape, T* x, T* weight, T* bias, T* y);

}  // namespace mt::cpu
