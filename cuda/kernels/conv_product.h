// Convolutions by a kernel of our own, for all shapes.
#pragma once

#include "cuda/runtime/driver.h"
#include "engine/ops/conv.h"

namespace mt::cuda {

// The result of the pass; its images or weight have elements. forward and input_grad add the plan's bias; weight_grad leaves it alone.
void multiply_convolution(Stream stream, const ConvPlan& plan);

}  // namespace mt::cuda
