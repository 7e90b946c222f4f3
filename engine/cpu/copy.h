// Copies and conversions between any two layouts.
#pragma once

#include "engine/core/tensor.h"

namespace mt::cpu {

// dst gets src's elements in logical order; both have equally many, and do not overlap.
void copy(const Tensor& dst, const Tensor& src);

}  // namespace mt::cpu
