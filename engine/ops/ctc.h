// The plans of connectionist temporal classification.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// logp (steps, samples, classes) is float32 or float64; targets (samples, most labels), steps and lengths (samples) are int64; all are
// contiguous, and there are samples and classes. Classes count from 1 in `targets`, from 0 in `blank`. Counts and classes are checked:
// steps are at most those of logp, lengths at most the most labels.
struct CtcInput {
  Operand logp, targets, steps, lengths;
  int64_t blank;
  bool zero_infinity;
};

// out (samples), of logp's dtype, becomes the losses.
struct CtcLossPlan {
  CtcInput input;
  Operand out;
};

// out, with the sizes and dtype of logp, becomes the gradient by logp of the sum of the losses times g (samples), of this dtype. It has
// elements; all are contiguous.
struct CtcLossGradPlan {
  CtcInput input;
  Operand g, out;
};

void plan_ctc_loss(Call& call);
void plan_ctc_loss_grad(Call& call);

}  // namespace mt
