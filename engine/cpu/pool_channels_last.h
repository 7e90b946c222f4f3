// Pooling of images with two channels or more, in channels-last layout.
#pragma once

#include "engine/ops/pool.h"

namespace mt::cpu {

// Positions are counted in lanes as wide as the elements, so planes must have fewer than 2^31 positions.
void max_pool_channels_last(const MaxPoolPlan& plan);
void max_pool_grad_channels_last(const MaxPoolGradPlan& plan);
void avg_pool_channels_last(const AvgPoolPlan& plan);
void avg_pool_grad_channels_last(const AvgPoolGradPlan& plan);

}  // namespace mt::cpu
