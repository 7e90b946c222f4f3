// The device of tensors that have sizes and no elements: an op's plan on them tells what results it would have.
#pragma once

#include "engine/core/device.h"

namespace mt {

Device& meta();

void copy_nothing(const Tensor& dst, const Tensor& src);

// A tensor on meta that lies as x does; x itself when it is there.
Tensor without_elements(const Tensor& x);

}  // namespace mt
