// Shared code of ops that create tensors of numbers.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// The dtype of result 0: that of the out argument, else argument i, else the default. Raises an error if the first two differ.
DType wanted_dtype(const Call& call, int i);

}  // namespace mt
