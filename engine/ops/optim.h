// Steps of optimisation algorithms on lists of parameters; the arithmetic comes as one loop for float and one for double.
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

// n contiguous elements of float or double. Without momentum `buffer` is null.
template <class Rates, int buffers> struct StepLoops;
template <class Rates> struct StepLoops<Rates, 1> {
  void (*f32)(float* x, const float* gradient, float* buffer, int64_t n, const Rates& rates);
  void (*f64)(double* x, const double* gradient, double* buffer, int64_t n, const Rates& rates);
};
template <class Rates> struct StepLoops<Rates, 2> {
  void (*f32)(float* x, const float* gradient, float* m, float* v, int64_t n, const Rates& rates);
  void (*f64)(double* x, const double* gradient, double* m, double* v, int64_t n, const Rates& rates);
};

using SgdLoops = StepLoops<SgdRates, 1>;
using AdamLoops = StepLoops<AdamRates, 2>;

void run_sgd_step(Call& call);
void run_adam_step(Call& call);

}  // namespace mt
