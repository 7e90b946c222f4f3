// Convolutions by a vendor's library. Two files define it: cuda/real/dnn.cpp by cuDNN, which is opened when it is first needed and may be
// missing, and cuda/emulated/dnn.cpp by plain loops. Nothing waits for the device.
#pragma once

#include "cuda/runtime/driver.h"
#include "engine/core/dtype.h"
#include "engine/ops/conv.h"

namespace mt::cuda::dnn {

// A pass of a convolution, as ConvPlan has it, without its bias. The weight lies as (out, in / groups, kernel), or, where images have their
// channels last, as (out, kernel, in / groups).
struct Convolution {
  DType dtype;
  ConvPass pass;
  ConvShape shape;
  ImageLayout layout;
};

// Whether the library is there and can do it, with the same result in each run. The answer is kept.
bool takes(Stream stream, const Convolution& convolution);

// Does what it takes. Addresses are as tensors have them; the result is written.
void convolve(Stream stream, const Convolution& convolution, void* x, void* weight, void* y);

}  // namespace mt::cuda::dnn
