// The plans of selecting and writing by index tensors. In all of them `index` is int64 and contiguous, and holds positions from 1, each
// within the dimension that it indexes; tensors have any strides, and elements, except as noted.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// Slice i of out becomes slice index[i] of x, along dim.
struct TakeSlicesPlan {
  Operand x, index, out;
  int dim;
};

// Writes to the same element happen in the order of the index: sums and the last value are the same for any number of threads.
enum class Write { replace, add };

// Slice index[i] of out becomes slice i of source, or slice i is added to it. source has out's dtype.
struct PutSlicesPlan {
  Operand out, index, source;
  int dim;
  Write write;
};

// The slices of out that index selects are set to an element.
struct FillSlicesPlan {
  Operand out, index;
  int dim;
  ScalarValue element;
};

// out[i][j] = x[index[i][j]][j] for dim 0, and so on for any dim and number of dimensions. out and index have the same sizes.
struct GatherPlan {
  Operand x, index, out;
  int dim;
};

// out[index[i][j]][j] = source[i][j], or += it. source has index's sizes and out's dtype; it may be one element, expanded.
struct ScatterPlan {
  Operand out, index, source;
  int dim;
  Write write;
};

// Argument `arg`, an index for a dimension of `size` elements: contiguous, in memory that result 0 doesn't share. Raises an error if a
// position is outside of 1..size.
Tensor checked_index(const Call& call, int arg, int64_t size);

void plan_index(Call& call);
void plan_index_add(Call& call);
void plan_index_grad(Call& call);
void plan_index_copy(Call& call);
void plan_index_fill(Call& call);
void plan_gather(Call& call);
void plan_gather_grad(Call& call);
void plan_scatter(Call& call);
void plan_scatter_add(Call& call);
void plan_take(Call& call);

}  // namespace mt
