// The plans of scaled dot-product attention.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// Matrices of `outer` groups of heads, in steps of elements; the elements of a row are adjacent.
struct HeadMatrices {
  Operand data;
  int64_t outer_step = 0, head_step = 0, row_step = 0;
};

// The mask, which is added to the scores: floats, or if `selects` is set, -inf where an element is 0.
struct AttentionMask {
  Operand data;  // without storage if there is none
  int64_t outer_step = 0, head_step = 0, row_step = 0, key_step = 0;
  bool selects = false;
};

// All operands have the same dtype, float32 or float64.
struct AttentionSizes {
  int64_t outer, heads, sharing;  // `sharing` adjacent heads of the query have the same head of key and value
  int64_t queries, keys;          // may be 0, as may be the next two
  int64_t size, value_size;
  bool causal;
  double scale;
};

struct AttentionPlan {
  AttentionSizes sizes;
  HeadMatrices query, key, value;
  AttentionMask mask;
  Operand res, logsum;  // contiguous
};

struct AttentionGradPlan {
  AttentionSizes sizes;
  HeadMatrices g, query, key, value, res;
  AttentionMask mask;
  Operand logsum;                            // contiguous
  Operand query_grad, key_grad, value_grad;  // contiguous results
};

// The places of a call's arguments: key and value come after the query, causal and scale after the mask.
struct AttentionArguments {
  int query, mask;
};

// The sizes of the arguments; the scale of a call without one is 1 / sqrt(size). Raises an error if they don't fit.
AttentionSizes attention_sizes(const Call& call, AttentionArguments at);

// The mask in a dtype, expanded; without storage if it was left out. Steps of it are those of `mask_in_steps`.
Tensor attention_mask(const Call& call, AttentionArguments at, DType dtype, const AttentionSizes& s);
AttentionMask mask_in_steps(const Tensor& mask, const Call& call, AttentionArguments at);

// Whether the dimensions before the last three are one dimension with equal steps.
bool has_equal_steps(const Tensor& t);

// Argument `arg` as matrices with adjacent elements in rows: a copy if it isn't yet.
Tensor matrices_of(const Call& call, int arg, DType dtype);
HeadMatrices in_steps(const Tensor& t);

void plan_attention(Call& call);
void plan_attention_grad(Call& call);

}  // namespace mt
