// The plans of sorting and order statistics.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// Each slice of x along dim is sorted. NaN is above all numbers, -0 equals 0, and the sort is stable. values and indices, positions counted
// from 1, receive
//   sort: all elements
//   topk: the first k
//   kthvalue, median: element number k, from 0
//   mode: the most frequent value, of several the first in order, and its last position
// so that they have x's sizes but for that of dim. All are contiguous, and there is something to write. A slice has fewer than 2^32
// elements.
struct SortPlan {
  Operand x, values, indices;
  int dim;
  int64_t k;
  bool descending;
};

void plan_sort(Call& call);
void plan_topk(Call& call);
void plan_kthvalue(Call& call);  // also the median
void plan_mode(Call& call);

}  // namespace mt
