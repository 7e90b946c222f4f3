// The plans of scans, which go along a dimension from its first element to the last.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// x and out are contiguous, of the same sizes and dtype, and have elements. If the op has a second result, it is the positions of the
// values in out, int64 and from 1.
struct ScanPlan {
  Operand x, out;
  Operand positions;  // or absent
  int dim;
};

// out[j] is the sum of g[i] exp(x[j] - y[i]) over i >= j along dim; if transposed, of g[i] exp(x[i] - y[j]) over i <= j. All are
// contiguous, of the same sizes and dtype, floats, and have elements.
struct CumulativeExpPlan {
  Operand g, x, y, out;
  int dim;
  bool transposed;
};

void plan_scan(Call& call);
void plan_cumulative_exp(Call& call);

}  // namespace mt
