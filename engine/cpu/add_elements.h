// out[i] += x[i], for each CPU instruction set: short runs, of rows that are added where an index says.
#pragma once

#include <cstdint>

namespace mt::cpu {

void add_elements(float* out, const float* x, int64_t n);
void add_elements(double* out, const double* x, int64_t n);

}  // namespace mt::cpu
