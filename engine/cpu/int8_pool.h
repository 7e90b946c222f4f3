// Max pooling of 8-bit integers.
#pragma once

#include "engine/ops/int8.h"

namespace mt::cpu {

void run_int8_max_pool(const Int8MaxPoolPlan& plan);

}  // namespace mt::cpu
