// The plans of losses of class indices.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// Positions in a batch, each with log-probabilities of all classes, which are `inner` elements apart.
struct Places {
  int64_t outer = 1, classes = 1, inner = 1;

  explicit Places(Sizes sizes);
  int64_t count() const { return outer * inner; }
  int64_t element(int64_t place, int64_t c) const { return (place / inner * classes + c) * inner + place % inner; }
};

// Classes of all positions, int64, counted from 1, and the weight of each class, float64 (absent: 1). Positions whose target is `ignore`
// are skipped; the other targets are checked. Both tensors are contiguous.
struct Targets {
  Operand classes;
  Operand weights;
  int64_t ignore;
};

// `total`, one element, becomes the sum of the weights of all targets; `loss`, one element, the sum of -weight * logp at the targets,
// divided by the total if `average` is set and it isn't 0. logp is contiguous and of their dtype. Sums are in double.
struct NllLossPlan {
  Operand logp, loss, total;
  Places places;
  Targets targets;
  bool average;
};

// out, contiguous and with elements, becomes -weight * gradient at the targets, divided by `total` if `average` is set and it isn't 0;
// other elements become 0. gradient and total are one element in float64.
struct NllLossGradPlan {
  Operand gradient, total, out;
  Places places;
  Targets targets;
  bool average;
};

void plan_nll_loss(Call& call);
void plan_nll_loss_grad(Call& call);

}  // namespace mt
