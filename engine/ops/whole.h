// Integers that are computed as floats: rounded to the nearest, and limited to the range of their dtype.
#pragma once

#include "engine/core/dtype.h"

namespace mt {

struct Whole {
  bool rounds = false;
  double least = 0, most = 0;

  Whole() = default;
  // rounds if `dtype` is an integer dtype and `inner`, in which it is computed, a float dtype
  Whole(DType dtype, DType inner);
};

}  // namespace mt
