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

void plan_attention(Call& call);
void plan_attention_grad(Call& call);

}  // namespace mt
