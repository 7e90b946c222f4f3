// Convolutions by a vendor's library. Two files implement it: cuda/real/dnn.cpp with cuDNN, which is loaded on first use and may be
// missing, and cuda/emulated/dnn.cpp with plain loops. No function waits for the device.
#pragma once

#include "cuda/runtime/driver.h"
#include "engine/core/dtype.h"
#include "engine/ops/conv.h"

namespace mt::cuda::dnn {

// A pass of a convolution, as in ConvPlan, without bias. The weight is (out, in / groups, kernel) in memory, or, if images are channels
// last, (out, kernel, in / groups).
struct Convolution {
  DType dtype;
  ConvPass pass;
  ConvShape shape;
  ImageLayout layout;
};

// Whether the library exists and supports the convolution, with the same result in each run. The answer is cached.
bool takes(Stream stream, const Convolution& convolution);

// Computes a supported convolution. Addresses are as in tensors; the tensor that is the result of the pass is written.
void convolve(Stream stream, const Convolution& convolution, void* x, void* weight, void* y);

}  // namespace mt::cuda::dnn
