// The plans of sums and maxima of bags of rows of a matrix.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// Bags are runs of `index`, which has positions of rows, counted from 1; it and offsets are int64 and contiguous. Bag b has the positions
// from offsets[b], which counts from 1, to the next offset or to the end; without offsets, `length` positions. Positions equal to padding
// are skipped.
struct Bags {
  Operand index, offsets;
  int64_t count, length, padding;
};

// Matrices are contiguous: weight and g have rows of as many elements as out. factors: one float64 per position, or without storage. With
// `average` sums are divided by the number of rows. out has elements.
struct BagSumPlan {
  Bags bags;
  Operand weight, factors, out;  // weight has out's dtype
  bool average;
};

// Adds to out, which is float32 or float64, as is g.
struct BagSumGradPlan {
  Bags bags;
  Operand g, factors, out;
  bool average;
};

// rows has int64 and out's sizes: the position of each maximum, or 0.
struct BagMaxPlan {
  Bags bags;
  Operand weight, out, rows;
};

void plan_bag_sum(Call& call);
void plan_bag_sum_grad(Call& call);
void plan_bag_max(Call& call);

}  // namespace mt
