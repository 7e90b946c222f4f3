// Special functions: the functors of engine/ops/special-inl.h for one element.
#pragma once

#include "cuda/special_functions.h"
#include "engine/core/decl.h"

namespace mt::cuda {

#include "engine/ops/special-inl.h"

}  // namespace mt::cuda
