// The plan of reductions: the elements, the reducer, and the results.
#pragma once

#include <array>

#include "engine/core/registry.h"

namespace mt {

// Parameters of folds.
struct ReduceArgs {
  double p = 2;         // of a norm
  bool biased = false;  // of a variance
  int64_t count = 0;    // elements per result
};

// x is reduced along `dim`, or over all elements if that is -1. Results have x's dimensions, `dim` with size 1, or one element; they have
// any strides, and elements, even if x has none. Values are in x's dtype, or in a wider one: int64 for integers, float64 for floats; tests
// are uint8 or bool. Positions count from 1 and are int64.
struct ReducePlan {
  static constexpr int max_results = Signature::max_results;

  Operand x;
  int dim;
  int variant;  // index of the variant in the op's Kernels in engine/ops/reduce-inl.h
  std::array<Operand, max_results> results;
  int result_count;
  ReduceArgs args;
  bool in_order;  // positions count in logical order
};

void plan_sum(Call& call);
void plan_prod(Call& call);
void plan_mean(Call& call);
void plan_extremum(Call& call);  // max, min: values, and positions along a dimension
void plan_extrema(Call& call);   // aminmax
void plan_position(Call& call);  // argmax, argmin
void plan_norm(Call& call);
void plan_variance(Call& call);  // var, std, and both with the mean
void plan_test(Call& call);      // any, all

}  // namespace mt
