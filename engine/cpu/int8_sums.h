// Sums and means of 8-bit integers with scales.
#pragma once

#include "engine/ops/int8.h"

namespace mt::cpu {

void run_int8_add(const Int8AddPlan& plan);
void run_int8_avg_pool(const Int8AvgPoolPlan& plan);

}  // namespace mt::cpu
