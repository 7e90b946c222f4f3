// Convolutions of few channels, forward: the first layer of most networks.
#pragma once

#include "engine/ops/conv.h"

namespace mt::cpu {

bool suits_few_channels(ConvPass pass, const ConvShape& shape);

// y from x, weight and, where it isn't null, bias; float32 or float64.
void few_channels_conv(DType dtype, const ConvShape& shape, const std::byte* x, const std::byte* weight, const std::byte* bias,
                       std::byte* y);

}  // namespace mt::cpu
