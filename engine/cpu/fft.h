// Fourier transforms as a plan describes them.
#pragma once

#include "engine/ops/fft.h"

namespace mt::cpu {

void transform_floats(const FourierPlan& plan);
void transform_doubles(const FourierPlan& plan);

}  // namespace mt::cpu
