// The plan of distances between rows.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// x has a row of n elements for each row of out, y has one for each of its columns; all are contiguous and of one dtype; integers wrap.
// Element (i, j) of out is gain times the squared distance of x's row i and y's row j. out has elements.
struct DistancePlan {
  Operand x, y, out;
  int64_t n;
  double gain;
};

void plan_match(Call& call);

}  // namespace mt
