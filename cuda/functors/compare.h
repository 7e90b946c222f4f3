// Comparisons: the functors of engine/ops/compare-inl.h for one element.
#pragma once

#include "cuda/value.h"
#include "engine/core/decl.h"

namespace mt::cuda {

#include "engine/ops/compare-inl.h"

}  // namespace mt::cuda
