// What a device provides for the normalisation in norm-inl.h; shapes, dtypes and results are dealt with before.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// x (batch, channels, points)
struct NormShape {
  int64_t batch, channels, points;
  int64_t values() const { return batch * points; }  // of a channel
};

// One double a channel; x and y are contiguous, float32 or float64.
struct NormForward {
  const std::byte* x;
  std::byte* y;
  const double *weight, *bias;
  double *mean, *variance;  // read, or with `training` written: the variance over n, not n - 1
  double* invstd;           // written: 1 / sqrt(variance + eps)
  double eps;
  bool training;
};

struct NormBackward {
  const std::byte *g, *x;
  std::byte* x_grad;
  const double *weight, *mean, *invstd;
  double *weight_grad, *bias_grad;
  bool training;  // mean and invstd depend on x
};

struct NormKernels {
  void (*forward)(DType dtype, const NormShape& shape, const NormForward& operands);
  void (*backward)(DType dtype, const NormShape& shape, const NormBackward& operands);
};

}  // namespace mt
