// What a device provides for the normalisation in rownorm-inl.h; shapes, dtypes and results are dealt with before.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// x (rows, n), contiguous, float32 or float64, as y, g, x_grad, weight and bias. One double a row for mean and invstd.
struct RowNormForward {
  int64_t rows, n;
  const std::byte *x, *weight, *bias;  // weight and bias may be null
  std::byte* y;
  double *mean, *invstd;  // written; mean may be null: it counts as 0
  double eps;
};

struct RowNormBackward {
  int64_t rows, n;
  const std::byte *g, *x, *weight;
  const double *mean, *invstd;  // mean may be null
  std::byte* x_grad;
  double *weight_grad, *bias_grad;  // n each
};

struct RowNormKernels {
  void (*forward)(DType dtype, const RowNormForward& operands);
  void (*backward)(DType dtype, const RowNormBackward& operands);
};

}  // namespace mt
