// Converts runs of numbers by vectors: 16-bit floats to float32 and back, with the same bits as engine/core/half.h for each element; and
// plain conversions.
#pragma once

#include <cstdint>

#include "engine/core/half.h"

namespace mt::cpu {

void widen(float* to, const Half* from, int64_t n);
void widen(float* to, const BFloat16* from, int64_t n);
void narrow(Half* to, const float* from, int64_t n);
void narrow(BFloat16* to, const float* from, int64_t n);

// From dtypes of data to dtypes of computations: each pair has a convert(To*, const From*, n).
#define MT_PLAIN_CONVERSIONS(apply)                                                                                                   \
  apply(float, double) apply(double, float) apply(float, uint8_t) apply(double, uint8_t) apply(float, int32_t) apply(double, int32_t) \
      apply(float, int64_t) apply(double, int64_t)
#define MT_CONVERT(To, From) void convert(To* to, const From* from, int64_t n);
MT_PLAIN_CONVERSIONS(MT_CONVERT)
#undef MT_CONVERT

}  // namespace mt::cpu
