// Products of computed matrices of 8-bit integers (engine/ops/int8.h).
#pragma once

#include "engine/ops/int8.h"

namespace mt::cpu {

void run_int8_matmul(const Int8MatmulPlan& plan);

}  // namespace mt::cpu
