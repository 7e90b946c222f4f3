// The plan of where: shapes, dtypes and numbers.
#pragma once

#include "engine/core/geometry.h"
#include "engine/core/registry.h"

namespace mt {

// Operands of the geometry: the result, the mask in bytes (0 or not 0), and the values for
// where it is set and where it is not, as elements of `width` bytes of any dtype. If an
// operand's bit in `numbers` is set, it is one value in the host's memory. The result has
// elements.
struct WherePlan {
  Geometry geometry;
  int width;
  uint32_t numbers;
};

void plan_where(Call& call);

}  // namespace mt
