// Writes to the positions in an index tensor, in its order.
#pragma once

#include "cuda/grid.h"
#include "engine/ops/index.h"

namespace mt::cuda {

// Positions count from 1. Kernels ignore positions outside of the dimension: the plan's check of elements raises their error.
MT_DEVICE bool is_inside(int64_t position, int64_t size) { return position >= 1 && position <= size; }

void put_slices(const PutSlicesPlan& plan);
void scatter(const ScatterPlan& plan);

}  // namespace mt::cuda
