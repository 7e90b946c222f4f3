// Quantisation of elements, which several families of ops share.
#pragma once

#include "engine/onnx/node_run.h"

namespace mt::onnx {

// x / scale rounded (of equal distances to the even number), plus the zero point, within the bounds of the dtype. Scales and zero points
// are given for all elements.
Tensor quantized(const NodeRun& node, const Tensor& x, const Tensor& scale, const Tensor& zero, DType dtype);

}  // namespace mt::onnx
