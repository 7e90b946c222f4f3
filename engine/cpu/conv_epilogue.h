// y = relu(y + added), element by element; `added` may be null.
#pragma once

#include <cstdint>

namespace mt::cpu {

void finish_convolution(float* y, int64_t n, const float* added, bool relu);
void finish_convolution(double* y, int64_t n, const double* added, bool relu);

}  // namespace mt::cpu
