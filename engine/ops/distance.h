// The plan of distances between rows.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// x has rows of n elements for each row of out, y for each of its columns; all are contiguous and of one dtype, in which integers wrap.
// Element (i, j) of out, which has some, is gain times the squared distance of x's row i and y's row j.
struct DistancePlan {
  Operand x, y, out;
  int64_t n;
  double gain;
};

void plan_match(Call& call);

}  // namespace mt
