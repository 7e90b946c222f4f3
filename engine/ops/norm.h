// The plans of batch normalisation and its gradients.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// x (batch, channels, points). For images with channels last, every point counts as one of the batch.
struct NormShape {
  int64_t batch, channels, points;
  int64_t values() const { return batch * points; }  // per channel
};

// There is at least one channel. x and y, g and x_grad are float32 or float64, of one layout, without gaps; all others are contiguous, with
// one float64 per channel, or without storage if left out: weight then counts as 1, bias as 0.
struct BatchNormPlan {
  NormShape shape;
  Operand x, weight, bias;
  Operand running_mean, running_var;  // read, or with `training` updated, after everything else
  Operand y, mean, invstd;            // results
  double momentum, eps;
  bool training;
};

struct BatchNormGradPlan {
  NormShape shape;
  Operand g, x, weight, mean, invstd;
  Operand x_grad, weight_grad, bias_grad;  // results
  bool training;                           // mean and invstd depend on x
};

void plan_batch_norm(Call& call);
void plan_batch_norm_grad(Call& call);

}  // namespace mt
