// The plans of recurrent cells: one step of a batch of states.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// All tensors are contiguous and of one dtype, float32 or float64, and have elements: states (batch, size), inputs and outputs of the
// gates (batch, 4 size) or (batch, 3 size), as recurrent-inl.h says. The given gradients gh and gc may be without storage: they count as
// 0.
struct LstmPlan {
  int64_t batch, size;
  Operand x, c0;
  Operand h, c, gates;  // results
};

struct LstmGradPlan {
  int64_t batch, size;
  Operand gh, gc, gates, c0, c;
  Operand gx, gc0;  // results
};

struct GruPlan {
  int64_t batch, size;
  Operand x, y, h0;
  Operand h, gates;  // results
};

struct GruGradPlan {
  int64_t batch, size;
  Operand g, gates, y, h0;
  Operand gx, gy, gh0;  // results
};

void plan_lstm(Call& call);
void plan_lstm_grad(Call& call);
void plan_gru(Call& call);
void plan_gru_grad(Call& call);

}  // namespace mt
