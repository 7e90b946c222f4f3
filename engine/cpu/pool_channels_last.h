// Pooling of images with two channels or more, which lie last.
#pragma once

#include "engine/ops/pool.h"

namespace mt::cpu {

// Positions are counted in lanes as wide as the elements: planes have fewer than 2^31 places.
void max_pool_channels_last(const MaxPoolPlan& plan);
void max_pool_grad_channels_last(const MaxPoolGradPlan& plan);
void avg_pool_channels_last(const AvgPoolPlan& plan);
void avg_pool_grad_channels_last(const AvgPoolGradPlan& plan);

}  // namespace mt::cpu
