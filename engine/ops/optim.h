// The plans of steps of optimisation algorithms: all parameters of a list together.
#pragma once

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
  Operand x, gradient, buffer;
};
struct SgdPlan {
  OperandList<SgdTensors> parameters;
  SgdRates rates;
};

// As there; x, mean and square are changed.
struct AdamTensors {
  Operand x, gradient, mean, square;
};
struct AdamPlan {
  OperandList<AdamTensors> parameters;
  AdamRates rates;
};

// The gradients are contiguous, each has elements of float32 or float64, and all are changed; no two share memory. found has one of
// float32.
struct UnscalePlan {
  OperandList<Operand> gradients;
  Operand found;
  double factor;
};

void plan_sgd_step(Call& call);
void plan_adam_step(Call& call);
void plan_unscale(Call& call);

}  // namespace mt
