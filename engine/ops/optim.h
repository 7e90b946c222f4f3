// The plans of steps of optimisation algorithms: all parameters of a list together.
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

// What a step takes of one parameter: tensors that are contiguous, equally large and have elements, all float32 or all float64. x and
// buffer are changed; without momentum the buffers are without storage. No two tensors of the lists share memory, unless there is one
// parameter.
struct SgdTensors {
  const Tensor &x, &gradient, &buffer;
};
struct SgdPlan {
  std::span<const SgdTensors> parameters;
  const SgdRates& rates;
};

// As there; x, mean and square are changed.
struct AdamTensors {
  const Tensor &x, &gradient, &mean, &square;
};
struct AdamPlan {
  std::span<const AdamTensors> parameters;
  const AdamRates& rates;
};

// The gradients are contiguous, each has elements of float32 or float64, and all are changed; no two share memory. found has one of
// float32.
struct UnscalePlan {
  std::span<const Tensor> gradients;
  const Tensor& found;
  double factor;
};

void plan_sgd_step(Call& call);
void plan_adam_step(Call& call);
void plan_unscale(Call& call);

}  // namespace mt
