// The plan of softmax and related ops along a dimension.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// Tensors are contiguous, all float32 or all float64; x has elements. The result has x's sizes, except if the op reduces slices: then `dim`
// has size 1.
struct SoftmaxPlan {
  Operand x;
  Operand y;  // of x's sizes; only in gradients
  Operand out;
  int dim;
};

void plan_softmax(Call& call);
void plan_softmax_grad(Call& call);
void plan_logsumexp(Call& call);

}  // namespace mt
