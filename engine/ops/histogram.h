// The plans of counting and of finding places.
#pragma once

#include "engine/core/registry.h"

namespace mt {

struct Bounds {
  double min, max;
};

// Row r of out, of `bins` elements, says how many of the n elements of x's row r lie in each of so many equal parts of the bounds: v in
// part floor((v - min) / (max - min) * bins), computed in double, max itself in the last one; what lies outside, and NaN, isn't counted. x
// and out are contiguous, of one dtype of floats. Without bounds they are the least and the greatest of all elements of x that are no NaN,
// but if all are, and one below and above where both are the same; -1 and 1 where there are no elements. `of_data` gets the least and the
// greatest; if one of them isn't finite, nothing is counted.
struct HistogramPlan {
  Operand x, out;
  int64_t rows, n, bins;
  bool has_bounds;
  Bounds bounds;
  Answer<Bounds> of_data{};
};

// x: int64, contiguous, with elements. First its limits are found, and then its elements are counted, who are from 1 to out's size: element
// k of out becomes the number of those that are k + 1, in int64, or the sum of their weights in order, in float64. out is contiguous.
enum class BincountPass : uint8_t { limits, count };
struct BincountPlan {
  BincountPass pass;
  Operand x;
  Operand weights = {};                 // float64, contiguous, as many as x's elements; or absent
  Operand out = {};                     // of the second pass
  Answer<int64_t> least{}, greatest{};  // of the first pass
};

// Positions in ascending rows of n elements, counted from 1, for rows of m elements of x: of the first that is not below the element or,
// with `right`, is above it; n + 1 where none is. NaN is larger than all numbers. A single row is searched for all elements of x. All are
// contiguous, sorted and x of one dtype; out is int64, as large as x, and has elements.
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
