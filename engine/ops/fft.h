// The plan of Fourier transforms along a dimension.
#pragma once

#include "engine/core/registry.h"

namespace mt {

enum class FourierKind : uint8_t { complex, from_real, to_real };

// Transforms of n elements each, `inner` apart, for outer x inner slices; n, outer and inner are 1 or more. x and out are contiguous, of
// the same dtype, float32 or float64. Complex numbers are pairs of elements, in a last dimension of their own; where a transform begins or
// ends at real numbers the n / 2 + 1 first frequencies are there, or after all: from real numbers to all n. `scale` goes into each result.
struct FourierPlan {
  FourierKind kind;
  Operand x, out;
  int64_t outer, n, inner;
  bool inverse;   // exp(+2 pi i j k / n); always so to real numbers, never from them
  bool onesided;  // from real numbers: n / 2 + 1 frequencies
  double scale;
};

void plan_fft_c2c(Call& call);
void plan_fft_r2c(Call& call);
void plan_fft_c2r(Call& call);

}  // namespace mt
