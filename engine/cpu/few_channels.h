// Forward pass of convolutions of few channels: the first layer of most networks.
#pragma once

#include "engine/ops/conv.h"

namespace mt::cpu {

// Whether the kernel is the fastest one, oneDNN's among them; and whether it is faster than to unfold.
bool suits_few_channels(ConvPass pass, const ConvShape& shape);
bool fits_few_channels(ConvPass pass, const ConvShape& shape);

// Computes y from x, weight and bias, which may be null; float32 or float64.
void few_channels_conv(DType dtype, const ConvShape& shape, const std::byte* x, const std::byte* weight, const std::byte* bias,
                       std::byte* y);

}  // namespace mt::cpu
