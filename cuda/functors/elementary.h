// Elementary functions: the functors of engine/ops/elementary-inl.h for one element.
#pragma once

#include "cuda/functions.h"
#include "engine/core/decl.h"

namespace mt::cuda {

#include "engine/ops/elementary-inl.h"

}  // namespace mt::cuda
