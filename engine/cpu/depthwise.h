// 3x3 convolutions of stride 1 in which each channel has a separate kernel.
#pragma once

#include "engine/ops/conv.h"

namespace mt::cpu {

bool suits_depthwise(const ConvShape& shape);

// Operands as in ConvPass, float32 or float64.
void depthwise_conv(DType dtype, ConvPass pass, const ConvShape& shape, std::byte* x, std::byte* weight, std::byte* bias, std::byte* y);

}  // namespace mt::cpu
