// Writes to places that an index names, in its order.
#pragma once

#include "cuda/grid.h"
#include "engine/ops/index.h"

namespace mt::cuda {

// Positions count from 1. Those outside a dimension are passed over here: their error is raised elsewhere.
MT_DEVICE bool is_inside(int64_t position, int64_t size) { return position >= 1 && position <= size; }

void put_slices(const PutSlicesPlan& plan);
void scatter(const ScatterPlan& plan);

}  // namespace mt::cuda
