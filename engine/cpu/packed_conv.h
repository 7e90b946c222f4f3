// Convolutions of prepared runs.
#pragma once

#include "engine/core/packing.h"
#include "engine/ops/conv.h"

namespace mt::cpu {

// The kernel of conv2d_unit.
void run_conv_unit(const ConvUnitPlan& plan);

void add_conv_packing(const Kernel& of_conv, const Kernel& of_unit);

}  // namespace mt::cpu
