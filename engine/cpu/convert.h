// Runs of 16-bit floats as float32 and back, by vectors; bit for bit what engine/core/half.h makes of each element.
#pragma once

#include <cstdint>

#include "engine/core/half.h"

namespace mt::cpu {

void widen(float* to, const Half* from, int64_t n);
void widen(float* to, const BFloat16* from, int64_t n);
void narrow(Half* to, const float* from, int64_t n);
void narrow(BFloat16* to, const float* from, int64_t n);

}  // namespace mt::cpu
