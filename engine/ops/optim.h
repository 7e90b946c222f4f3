// The plans of steps by optimisation algorithms: all parameters of a list together.
#pragma once

#include <array>

#include "engine/core/registry.h"

namespace mt {

// One parameter of a step: contiguous arrays of n elements, at least one, of float64 if it is wide, else of float32.
struct StepParameter {
  Address x, gradient;
  int64_t n;
  bool wide;
};

inline constexpr int most_states = 3, most_numbers = 10;

// A step by the functor with the number `variant` in the list of the op. A list of states has an array for each parameter; or a single one,
// in which the states of all parameters follow each other: then all are wide, or none is. The step writes x and the states. No two arrays
// share memory, except if there is one parameter.
struct StepPlan {
  int variant;
  OperandList<StepParameter> parameters;
  std::array<OperandList<Address>, most_states> states;
  std::array<double, most_numbers> numbers;
};

// The gradients are contiguous, have elements of float32 or float64, and are all written; no two share memory. found has one element of
// float32.
struct UnscalePlan {
  OperandList<StepParameter> gradients;  // each is both x and gradient
  Operand found;
  double factor;
};

void plan_sgd_step(Call& call);
void plan_adam_step(Call& call);
void plan_amsgrad_step(Call& call);
void plan_nadam_step(Call& call);
void plan_radam_step(Call& call);
void plan_adamax_step(Call& call);
void plan_rmsprop_step(Call& call);
void plan_adagrad_step(Call& call);
void plan_adadelta_step(Call& call);
void plan_lion_step(Call& call);
void plan_asgd_step(Call& call);
void plan_rprop_step(Call& call);
void plan_unscale(Call& call);
void plan_clip_values(Call& call);

}  // namespace mt
