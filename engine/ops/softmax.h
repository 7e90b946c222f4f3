// The plan of softmax and its relatives along a dimension.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// Tensors are contiguous, all float32 or all float64; x has elements. The result has x's sizes, but for a result that reduces slices, where
// `dim` has size 1.
struct SoftmaxPlan {
  Operand x;
  Operand y;  // of x's sizes, in gradients
  Operand out;
  int dim;
};

void plan_softmax(Call& call);
void plan_softmax_grad(Call& call);
void plan_logsumexp(Call& call);

}  // namespace mt
