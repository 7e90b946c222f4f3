// The plans of copies with elements elsewhere or zeroed. Only an element's size counts, not what it is.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// Zeros the elements of each matrix of the last two dimensions of out on one side of diagonal k: where lower, those above it, with
// column - row > k, else those below. out is contiguous and has elements; -rows <= k <= columns.
struct TrianglePlan {
  Operand out;
  int64_t k;
  bool lower;
};

// out becomes a copy of x, whose strides are negative along the dimensions that are reversed. Both have the same sizes and elements.
struct FlipPlan {
  Operand x, out;
};

// Slice i of out along dim becomes slice (i - shift) modulo their number of x. Both have the same sizes, and elements; 0 <= shift < slices.
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
