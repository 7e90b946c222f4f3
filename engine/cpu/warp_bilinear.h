// Bilinear warping in vectors.
#pragma once

#include "engine/ops/warp.h"

namespace mt::cpu {

// Runs the plan, whose filter is bilinear and no derivative, where it takes such images: float32 ones, wider than one element, whose
// elements 32 bits count, with another border than zeros. False, with nothing done, for others.
bool warp_bilinear(const WarpPlan& plan);

}  // namespace mt::cpu
