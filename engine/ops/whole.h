// Integers that are computed as floats: rounded to the nearest, and cut to what their dtype holds.
#pragma once

#include "engine/core/dtype.h"

namespace mt {

struct Whole {
  bool rounds = false;
  double least = 0, most = 0;

  Whole() = default;
  // rounds where `dtype` is an integer's and `inner`, which computes it, a float's
  Whole(DType dtype, DType inner);
};

}  // namespace mt
