// The plans of recurrent cells: one step of a batch of states.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// All tensors are contiguous and of one dtype, float32 or float64, and have elements: states (batch, size), what comes to the gates and
// what they give (batch, 4 size) or (batch, 3 size), as recurrent-inl.h says. Of the gradients that come, gh and gc may be without storage:
// they count as 0.
struct LstmPlan {
  int64_t batch, size;
  const Tensor &x, &c0;
  const Tensor &h, &c, &gates;  // results
};

struct LstmGradPlan {
  int64_t batch, size;
  const Tensor &gh, &gc, &gates, &c0, &c;
  const Tensor &gx, &gc0;  // results
};

struct GruPlan {
  int64_t batch, size;
  const Tensor &x, &y, &h0;
  const Tensor &h, &gates;  // results
};

struct GruGradPlan {
  int64_t batch, size;
  const Tensor &g, &gates, &y, &h0;
  const Tensor &gx, &gy, &gh0;  // results
};

void plan_lstm(Call& call);
void plan_lstm_grad(Call& call);
void plan_gru(Call& call);
void plan_gru_grad(Call& call);

}  // namespace mt
