// Rounding, clamping, selection: the functors of engine/ops/pointwise-inl.h for one element.
#pragma once

#include "cuda/value.h"
#include "engine/core/decl.h"

namespace mt::cuda {

#include "engine/ops/pointwise-inl.h"

}  // namespace mt::cuda
