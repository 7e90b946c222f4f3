// The plan of reductions: what is reduced, in which way, and where the results go.
#pragma once

#include <array>

#include "engine/core/registry.h"

namespace mt {

// Numbers that folds take.
struct ReduceArgs {
  double p = 2;         // of a norm
  bool biased = false;  // of a variance
  int64_t count = 0;    // elements that go into one result
};

// x is reduced along `dim`, or whole where that is -1. Results have x's dimensions, `dim` with size 1, or one element; they have any
// strides, and elements, also where x has none. Values are in x's dtype, or in one that holds more: int64 for integers, float64 for
// floats; tests are uint8 or bool. Positions count from 1 and are int64.
struct ReducePlan {
  static constexpr int max_results = Signature::max_results;

  Operand x;
  int dim;
  int variant;  // which of the op's Kernels in engine/ops/reduce-inl.h, by number
  std::array<Operand, max_results> results;
  int result_count;
  ReduceArgs args;
  bool in_order;  // elements are numbered in logical order
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
