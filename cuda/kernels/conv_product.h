// Convolutions by an internal kernel, for all shapes.
#pragma once

#include "cuda/runtime/driver.h"
#include "engine/ops/conv.h"

namespace mt::cuda {

// Computes the result of the pass, which must have elements. forward and input_grad add the plan's bias; weight_grad ignores it.
void multiply_convolution(Stream stream, const ConvPlan& plan);

}  // namespace mt::cuda
