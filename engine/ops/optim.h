// The plans of steps of optimisation algorithms: one for each parameter of a list.
#pragma once

#include <span>

#include "engine/core/registry.h"

namespace mt {

struct SgdRates {
  double rate, momentum, dampening, weight_decay;
  bool nesterov;
};

struct AdamRates {
  double rate, beta1, beta2, epsilon, weight_decay;
};

// Tensors are contiguous, equally large and have elements, all float32 or all float64. x and buffer are changed; without momentum there is
// no buffer.
struct SgdPlan {
  const Tensor &x, &gradient;
  const Tensor* buffer;
  const SgdRates& rates;
};

// As there; x, means and squares are changed.
struct AdamPlan {
  const Tensor &x, &gradient, &means, &squares;
  const AdamRates& rates;
};

// The gradients are contiguous, each has elements of float32 or float64, and all are changed; found has one of float32.
struct UnscalePlan {
  std::span<const Tensor> gradients;
  const Tensor& found;
  double factor;
};

void plan_sgd_step(Call& call);
void plan_adam_step(Call& call);
void plan_unscale(Call& call);

}  // namespace mt
