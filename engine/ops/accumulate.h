// Ops that can add their result to an existing sum in one pass, so that accumulating a gradient creates no temporary tensor. Such an op has
// an AccumulateFn (engine/core/registry.h).
#pragma once

#include "engine/core/registry.h"

namespace mt {

// held + scale g, in place
void add_scaled(OpHook* hook, Tensor& held, const Tensor& g, double scale = 1);
Tensor sum_of(OpHook* hook, const Tensor& a, const Tensor& b);

bool accumulate_mm(const Call& call, double scale);
bool accumulate_mv(const Call& call, double scale);
bool accumulate_ger(const Call& call, double scale);
bool accumulate_linear_weight_grad(const Call& call, double scale);
bool accumulate_linear_bias_grad(const Call& call, double scale);
bool accumulate_expand(const Call& call, double scale);
bool accumulate_narrow_grad(const Call& call, double scale);
bool accumulate_select_grad(const Call& call, double scale);
bool accumulate_sub_grad(const Call& call, double scale);
bool accumulate_index_grad(const Call& call, double scale);
bool accumulate_gather_grad(const Call& call, double scale);

}  // namespace mt
