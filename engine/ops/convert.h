// Conversions between dtypes.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// Raises an error if argument i has complex numbers, and would be converted to a dtype of real ones.
void refuse_loss_of_parts(const Call& call, int i, DType to);

}  // namespace mt
