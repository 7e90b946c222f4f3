// Copies and fills on a device.
#pragma once

#include "engine/core/tensor.h"

namespace mt::cuda {

void copy_elements(const Tensor& dst, const Tensor& src);  // as CopyFn; both tensors are on one device
void fill_elements(const Tensor& t, const ScalarValue& element);

}  // namespace mt::cuda
