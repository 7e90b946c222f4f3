// 1x1 convolutions in groups of channels that fill no whole vectors. oneDNN would compute them in blocks of 4 channels.
#pragma once

#include "engine/core/recording.h"
#include "engine/cpu/winograd.h"

namespace mt::cpu {

bool suits_grouped_pointwise(const ConvShape& shape);
// Floats of scratch memory.
int64_t grouped_pointwise_room(const ConvShape& shape);
// y = relu(conv(x) + bias + added), of float32, with channels first. `bias` may be null; `added` may be y.
void grouped_pointwise(const ConvShape& shape, const float* x, const float* weight, const float* bias, const ConvEpilogue& epilogue,
                       float* scratch, float* y);

}  // namespace mt::cpu
