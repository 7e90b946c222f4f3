// out[i] += x[i], for each CPU instruction set: short runs, for rows that are added at the positions of an index.
#pragma once

#include <cstdint>

namespace mt::cpu {

void add_elements(float* out, const float* x, int64_t n);
void add_elements(double* out, const double* x, int64_t n);

}  // namespace mt::cpu
