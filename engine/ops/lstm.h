// The plans of a layer of long short-term memory over a sequence.
#pragma once

#include "engine/core/registry.h"

namespace mt {

struct LstmSequence {
  int64_t steps, batch, size;
  bool reverse;

  // The step that runs as number i, and the one before it.
  int64_t at(int64_t i) const { return reverse ? steps - 1 - i : i; }
};

// All tensors are contiguous, of one dtype, float32 or float64, and have elements: x and gates (steps, batch, 4 size), y and c (steps,
// batch, size), weight (4 size, size), states (batch, size). Unless `keeps`, c and gates have one step, which each step overwrites.
struct LstmLayerPlan {
  LstmSequence sequence;
  bool keeps;
  Operand x, h0, c0, weight;
  Operand y, c, gates;  // results
};

// gy, gh and gc may be without storage: they count as 0. gx has the sizes of gates.
struct LstmLayerGradPlan {
  LstmSequence sequence;
  Operand gy, gh, gc, gates, c0, c, weight;
  Operand gx, gh0, gc0;  // results
};

void plan_lstm_layer(Call& call);
void plan_lstm_layer_grad(Call& call);

}  // namespace mt
