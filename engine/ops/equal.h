// The plan of equal, which tells whether two tensors are the same.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// x and y are contiguous, of the same dtype and number of elements, and have some. `same`, one boolean, becomes whether all are equal.
struct EqualPlan {
  Operand x, y, same;
};

void plan_equal(Call& call);

}  // namespace mt
