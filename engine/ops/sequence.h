// The plan of equally spaced numbers: their count, and their formula.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// Element i of out is first + step * i / parts, computed in double in this order and then converted; with has_last, the last one is `last`
// exactly. With `powers`, 10 to the power of these. out is contiguous, of any dtype, and has elements.
struct SequencePlan {
  Operand out;
  double first, step, parts;
  bool has_last;
  double last;
  bool powers;
};

void plan_range(Call& call);
void plan_arange(Call& call);
void plan_linspace(Call& call);
void plan_logspace(Call& call);

}  // namespace mt
