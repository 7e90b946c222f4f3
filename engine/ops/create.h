// What ops that make tensors of numbers have in common.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// The dtype of result 0: the result's own, else argument i, else the default. Raises an error when the first two differ.
DType wanted_dtype(const Call& call, int i);

}  // namespace mt
