// The plans of copies with moved or zeroed elements. Only the size of an element matters, not its dtype.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// Zeros elements of each matrix of the last two dimensions of out: with `lower`, those above diagonal k (column - row > k), else those
// below it. out is contiguous and has elements; -rows <= k <= columns.
struct TrianglePlan {
  Operand out;
  int64_t k;
  bool lower;
};

// out becomes a copy of x, whose strides are negative along the dimensions that are reversed. Both have the same sizes and elements.
struct FlipPlan {
  Operand x, out;
};

// Slice i of out along dim becomes slice (i - shift) modulo `slices` of x. Both have the same sizes, and elements; 0 <= shift < slices.
struct RollPlan {
  Operand x, out;
  int dim;
  int64_t shift;
};

void plan_tril(Call& call);
void plan_triu(Call& call);
void plan_flip(Call& call);
void plan_roll(Call& call);

}  // namespace mt
