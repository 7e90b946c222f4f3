// Bilinear warping in vectors.
#pragma once

#include "engine/ops/warp.h"

namespace mt::cpu {

// Runs a bilinear plan without derivatives if it supports the images: float32, wider than one element, with elements that 32 bits can
// count, and a border other than zeros. Else returns false and does nothing.
bool warp_bilinear(const WarpPlan& plan);

}  // namespace mt::cpu
