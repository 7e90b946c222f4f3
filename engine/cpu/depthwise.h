// Convolutions in which each channel has a separate kernel.
#pragma once

#include "engine/ops/conv.h"

namespace mt::cpu {

bool suits_depthwise(const ConvShape& shape);  // 3x3, stride 1

// Operands as in ConvPass, float32 or float64.
void depthwise_conv(DType dtype, ConvPass pass, const ConvShape& shape, std::byte* x, std::byte* weight, std::byte* bias, std::byte* y);

// Other kernels and strides: forward passes alone.
bool suits_depthwise_taps(ConvPass pass, const ConvShape& shape);
void depthwise_taps(DType dtype, const ConvShape& shape, const std::byte* x, const std::byte* weight, const std::byte* bias, std::byte* y);

}  // namespace mt::cpu
