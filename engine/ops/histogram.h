// The plans of counting values and of finding positions in sorted rows.
#pragma once

#include "engine/core/registry.h"

namespace mt {

struct Bounds {
  double min, max;
};

// Row r of out, of `bins` elements, counts the n elements of x's row r in equal parts of the range between the bounds: v is in part
// floor((v - min) / (max - min) * bins), computed in double; max itself is in the last part; values outside and NaN aren't counted. x and
// out are contiguous, of one float dtype. Without bounds they are the least and the greatest element of x except NaN (of NaN alone, NaN);
// if both are equal, one below and above; without elements, -1 and 1. `of_data` is set to the least and the greatest element; if either
// isn't finite, nothing is counted.
struct HistogramPlan {
  Operand x, out;
  int64_t rows, n, bins;
  bool has_bounds;
  Bounds bounds;
  Answer<Bounds> of_data{};
};

// x: int64, contiguous, with elements. The first pass finds its limits, the second counts its elements, from 1 to out's size: element k of
// out becomes the number of elements that are k + 1, in int64, or the sum of their weights in order, in float64. out is contiguous.
enum class BincountPass : uint8_t { limits, count };
struct BincountPlan {
  BincountPass pass;
  Operand x;
  Operand weights = {};                 // float64, contiguous, as many as x's elements; or absent
  Operand out = {};                     // of the second pass
  Answer<int64_t> least{}, greatest{};  // of the first pass
};

// Positions in ascending rows of n elements, counted from 1, for rows of m elements of x: of the first element that is not below x's
// element or, with `right`, is above it; n + 1 if there is none. NaN is larger than all numbers. A single row is searched for all elements
// of x. All are contiguous, sorted and x of one dtype; out is int64, as large as x, and has elements.
struct SearchPlan {
  Operand sorted, x, out;
  int64_t n, m;
  bool right;
};

void plan_histc(Call& call);
void plan_bhistc(Call& call);
void plan_bincount(Call& call);
void plan_searchsorted(Call& call);

}  // namespace mt
