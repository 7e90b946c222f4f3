// The plans of selecting and writing by masks, which are contiguous bytes of 0 and 1 with the sizes of the tensor that they choose from.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// The first pass counts the selected elements; then the result is allocated, and the second pass moves the elements to it.
enum class MaskPass : uint8_t { count, move };

// Shared state of the two passes. before: the number of selected elements before each run of elements, and at the end their number in all.
// A device chooses the length of runs, at least least_run. int64, contiguous, used by kernels alone.
struct Ranking {
  static constexpr int64_t least_run = 1024;
  static constexpr int64_t runs(int64_t n) { return (n + least_run - 1) / least_run + 1; }  // elements of `before`

  MaskPass pass;
  Operand before;
  Answer<int64_t> count{};  // of the first pass
};

// out, of the second pass, becomes a vector of the elements of x (contiguous) whose mask is 1.
struct MaskedSelectPlan {
  Operand x, mask;
  Ranking ranking;
  Operand out = {};
};

// Sets the elements of out whose mask is 1.
struct MaskedFillPlan {
  Operand out, mask;
  ScalarValue element;
};

// Writes source's elements (contiguous) in order to the elements of out (contiguous) whose mask is 1. If out is absent, counts the ones.
struct MaskedCopyPlan {
  Operand mask;
  Operand out = {}, source = {};
  Answer<int64_t> ones{};
};

// out, of the second pass, becomes the positions, from 1, of the elements of x (contiguous) other than 0: a matrix of int64 with a row per
// element.
struct NonzeroPlan {
  Operand x;
  Ranking ranking;
  Operand out = {};
};

void plan_masked_select(Call& call);
void plan_masked_fill(Call& call);
void plan_masked_copy(Call& call);
void plan_nonzero(Call& call);

}  // namespace mt
