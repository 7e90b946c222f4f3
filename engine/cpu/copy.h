// Copies and conversions between any two layouts, and fills of any layout.
#pragma once

#include "engine/core/tensor.h"

namespace mt::cpu {

// Copies src's elements to dst in logical order; both have equally many, and do not overlap.
void copy(const Tensor& dst, const Tensor& src);

// Sets every element of t to the value of `element`. Allocates no memory.
void fill(const Tensor& t, const ScalarValue& element);

}  // namespace mt::cpu
