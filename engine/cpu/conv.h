// Chooses the method of a convolution (a cross-correlation, as usual), and runs its passes on memory: x (batch, in, sizes…),
// weight (out, in / groups, kernel sizes…), bias (out) or null, y (batch, out, result's sizes…); or x and y with channels
// last.
#pragma once

#include "engine/ops/conv.h"

namespace mt::cpu {

enum class ConvMethod {
  depthwise,
  depthwise_taps,
  few_channels,
  winograd,
  dnnl,
  product,  // for 1x1 kernels: a matrix product of the images without a copy
  unfold    // patches are copied, then multiplied
};
ConvMethod conv_method(ConvPass pass, const ConvShape& shape, bool is_float32);

// Operands as in ConvPass; a bias is added only to y.
template <class T> void conv(ConvPass pass, const ConvShape& shape, T* x, T* weight, T* bias, T* y);
template <class T> void conv_channels_last(ConvPass pass, const ConvShape& shape, T* x, T* weight, T* bias, T* y);

// Uses the methods product and unfold alone.
template <class T> void plain_conv(ConvPass pass, const ConvShape& shape, T* x, T* weight, T* bias, T* y);

// The kernel of all convolutions.
void run_conv(const ConvPlan& plan);

}  // namespace mt::cpu
