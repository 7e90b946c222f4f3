// The plans of steps by optimisation algorithms: all parameters of a list together.
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

// The tensors of one parameter in a step: contiguous, of one size, with elements, all float32 or all float64. The step writes x and
// buffer; without momentum the buffers are without storage. No two tensors of the lists share memory, except if there is one
// parameter.
struct SgdTensors {
  Operand x, gradient, buffer;
};
struct SgdPlan {
  OperandList<SgdTensors> parameters;
  SgdRates rates;
};

// As SgdTensors; the step writes x, mean and square.
struct AdamTensors {
  Operand x, gradient, mean, square;
};
struct AdamPlan {
  OperandList<AdamTensors> parameters;
  AdamRates rates;
};

// The gradients are contiguous, have elements of float32 or float64, and are all written; no two share memory. found has one element of
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
