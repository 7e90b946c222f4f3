// Views of a tensor, for plans and kernels.
#pragma once

#include "engine/core/tensor.h"

namespace mt {

// `length` slices of dimension dim, from `first`. The caller has checked the range.
Tensor narrowed(const Tensor& x, int dim, int64_t first, int64_t length);

// A contiguous tensor as a vector.
Tensor flat(const Tensor& x);

}  // namespace mt
