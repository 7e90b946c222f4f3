// The plans of selecting and writing by masks, which are contiguous bytes of 0 and 1 with the sizes of the tensor that they choose from.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// Chosen elements are counted first; then there is a result of so many, to which they are moved.
enum class MaskPass : uint8_t { count, move };

// What the two passes share. before: of each run of elements, in whatever length of at least least_run a device divides them, how many
// chosen elements come before it, and in the end how many there are: int64, contiguous, for the kernels alone.
struct Ranking {
  static constexpr int64_t least_run = 1024;
  static constexpr int64_t runs(int64_t n) { return (n + least_run - 1) / least_run + 1; }  // elements of before

  MaskPass pass;
  Operand before;
  Answer<int64_t> count{};  // of the first pass
};

// out, of the second pass, becomes a vector of the elements of x, contiguous, where mask is 1.
struct MaskedSelectPlan {
  Operand x, mask;
  Ranking ranking;
  Operand out = {};
};

// Sets the elements of out where mask is 1.
struct MaskedFillPlan {
  Operand out, mask;
  ScalarValue element;
};

// Writes source's elements, contiguous, one after another to out, contiguous, where mask is 1. Or, where there is no out, counts the ones.
struct MaskedCopyPlan {
  Operand mask;
  Operand out = {}, source = {};
  Answer<int64_t> ones{};
};

// out, of the second pass, becomes the positions, from 1, of the elements of x, contiguous, other than 0: a matrix of int64 with a row for
// each.
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
