// The plan of the cross product.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// Vectors of three elements along a dimension. All tensors are contiguous, of the same sizes and dtype, and have elements; integers wrap.
struct CrossPlan {
  Operand a, b, out;
  int dim;
};

void plan_cross(Call& call);

}  // namespace mt
