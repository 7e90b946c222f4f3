// The plan of Fourier transforms along a dimension.
#pragma once

#include "engine/core/registry.h"

namespace mt {

enum class FourierKind : uint8_t { complex, from_real, to_real };

// outer x inner transforms of n elements each, which are `inner` apart; n, outer and inner are 1 or more. x and out are contiguous, of the
// same dtype, float32 or float64. Complex numbers are pairs of elements in an additional last dimension. Transforms from or to real numbers
// use the first n / 2 + 1 frequencies; transforms from real numbers may also write all n. `scale` multiplies each result.
struct FourierPlan {
  FourierKind kind;
  Operand x, out;
  int64_t outer, n, inner;
  bool inverse;   // exp(+2 pi i j k / n); always set for real results, never for real arguments
  bool onesided;  // for real arguments: n / 2 + 1 frequencies
  double scale;
};

void plan_fft_c2c(Call& call);
void plan_fft_r2c(Call& call);
void plan_fft_c2r(Call& call);

}  // namespace mt
