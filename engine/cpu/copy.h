// Copies and conversions between any two layouts, and fills of any layout.
#pragma once

#include "engine/core/tensor.h"

namespace mt::cpu {

// dst gets src's elements in logical order; both have equally many, and do not overlap.
void copy(const Tensor& dst, const Tensor& src);

// Every element of t gets the value of `element`. Needs no memory.
void fill(const Tensor& t, const ScalarValue& element);

}  // namespace mt::cpu
