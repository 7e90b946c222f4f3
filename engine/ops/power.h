// The driver of powers: numbers that need no logarithm have loops of their own, as in Torch7.
#pragma once

#include "engine/ops/pointwise.h"

namespace mt {

struct PowerLoops {
  PointwiseLoops general, one, square, cube, root, inverse_root, inverse, inverse_square;
};

void run_power(Call& call);

}  // namespace mt
