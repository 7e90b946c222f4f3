// Conversions as the op Cast does them.
#pragma once

#include "engine/onnx/node_run.h"

namespace mt::onnx {

// Like `converted`, and with the node's attribute `saturate` for 8-bit floats: numbers that are too large become the largest one, or
// infinity or NaN.
Tensor cast_tensor(const NodeRun& n, const Tensor& x, DType dtype);

}  // namespace mt::onnx
