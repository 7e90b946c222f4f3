// The plans of selecting and writing by masks, which are contiguous bytes of 0 and 1 with the sizes of the tensor that they choose from.
#pragma once

#include <functional>

#include "engine/core/registry.h"

namespace mt {

// Makes the result, of which the kernel finds out how many elements (rows) there are to be.
using MakeCounted = std::function<const Tensor&(int64_t count)>;

// A vector of the elements of x, contiguous, where mask is 1.
struct MaskedSelectPlan {
  const Tensor &x, &mask;
  const MakeCounted& make;
};

// Sets the elements of out where mask is 1.
struct MaskedFillPlan {
  const Tensor &out, &mask;
  const ScalarValue& element;
};

// Writes source's elements, contiguous, one after another to out, contiguous, where mask is 1. Or, where there is no out, counts the ones.
struct MaskedCopyPlan {
  const Tensor& mask;
  const Tensor *out, *source;
  int64_t* ones;
};

// The positions, from 1, of the elements of x, contiguous, other than 0: a matrix of int64 with a row for each.
struct NonzeroPlan {
  const Tensor& x;
  const MakeCounted& make;
};

void plan_masked_select(Call& call);
void plan_masked_fill(Call& call);
void plan_masked_copy(Call& call);
void plan_nonzero(Call& call);

}  // namespace mt
