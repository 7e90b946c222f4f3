// The plan of equal, which compares two tensors.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// x and y are contiguous, of the same dtype and number of elements, at least one. `same`, one boolean, is set to whether all are equal.
struct EqualPlan {
  Operand x, y, same;
};

void plan_equal(Call& call);

}  // namespace mt
