// y = relu(y + added), element by element, up to the rectifier's largest value; `added` may be null.
#pragma once

#include <cstdint>

#include "engine/ops/rectifier.h"

namespace mt::cpu {

void finish_convolution(float* y, int64_t n, const float* added, Rectifier relu);
void finish_convolution(double* y, int64_t n, const double* added, Rectifier relu);

}  // namespace mt::cpu
