// The dtype in which kernels compute floats: float32 for 16-bit floats.
#pragma once

#include "engine/core/dtype.h"

namespace mt {

constexpr DType widened_dtype(DType dtype) { return dtype == DType::float64 ? DType::float64 : DType::float32; }

}  // namespace mt
