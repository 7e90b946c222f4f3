// The plan of where: shapes, dtypes and numbers.
#pragma once

#include "engine/core/geometry.h"
#include "engine/core/registry.h"

namespace mt {

// Operands of the geometry: the result, the mask in bytes of 0 and others, and what is chosen where it is set and where it is not, as
// elements of `width` bytes, whatever they mean. Of operands whose bit in `numbers` is set the geometry has one value in the host's
// memory.
// The result has elements.
struct WherePlan {
  Geometry geometry;
  int width;
  uint32_t numbers;
};

void plan_where(Call& call);

}  // namespace mt
