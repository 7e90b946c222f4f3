// Products of float32 with weights of 16 bits.
#pragma once

#include "engine/ops/quantize.h"

namespace mt::cpu {

void run_linear16(const Linear16Plan& plan);

}  // namespace mt::cpu
