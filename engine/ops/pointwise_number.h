// Numbers as operands of elementwise ops.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// Sets `to` to a number in the type in which `dtype` is computed. Infinities become the limits of integers.
void set_pointwise_number(ScalarValue& to, const Value& value, DType dtype);

}  // namespace mt
