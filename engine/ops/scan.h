// The plan of scans: running sums and products along a dimension.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// x and out are contiguous, of the same sizes and dtype, and have elements.
struct ScanPlan {
  const Tensor &x, &out;
  int dim;
};

void plan_scan(Call& call);

}  // namespace mt
