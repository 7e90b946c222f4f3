// Attention of 8-bit integers (engine/ops/int8.h).
#pragma once

#include "engine/ops/int8.h"

namespace mt::cpu {

void run_int8_attention(const Int8AttentionPlan& plan);

}  // namespace mt::cpu
