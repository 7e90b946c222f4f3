// The plans of normalisation of rows: layer and group normalisation, and normalisation by the root mean square.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// Rows of n elements, one after the other. x, y, g and x_grad are float32 or float64 and contiguous, as are weight and bias, with `weights`
// elements in the same dtype: each run of `run` elements has the next weight, and after the last one the first one again. A row has n / run
// of them. mean and invstd have one float64 per row, weight_grad and bias_grad one per weight. weight, bias: without storage if left out.
// mean and bias_grad: without storage in rmsNorm, which does not subtract the mean.
struct RowNormPlan {
  int64_t rows, n, run, weights;  // 1 or more
  Operand x, weight, bias;
  Operand y, mean, invstd;  // results
  double eps;
};

struct RowNormGradPlan {
  int64_t rows, n, run, weights;  // if there are no rows, the gradients of weight and bias are 0
  Operand g, x, weight, mean, invstd;
  Operand x_grad, weight_grad, bias_grad;  // results
};

void plan_layer_norm(Call& call);
void plan_layer_norm_grad(Call& call);
void plan_group_norm(Call& call);
void plan_group_norm_grad(Call& call);
void plan_rms_norm(Call& call);
void plan_rms_norm_grad(Call& call);

}  // namespace mt
