// Sums, products, quotients and remainders: the functors of engine/ops/arithmetic-inl.h for one element.
#pragma once

#include "cuda/value.h"
#include "engine/core/decl.h"

namespace mt::cuda {

#include "engine/ops/arithmetic-inl.h"

}  // namespace mt::cuda
