// NaNs and infinities among the elements of tensors of floats, for checks of results on every device.
#pragma once

#include "engine/core/tensor.h"

namespace mt {

enum class Nonfinite : uint8_t { none, infinity, nan };  // nan: with or without infinities

// Tensors of other dtypes, without elements, or without memory have none.
Nonfinite nonfinite_in(const Tensor& x);

}  // namespace mt
