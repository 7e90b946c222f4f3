// Draws of categories from a Mersenne twister, as in Torch7.
#pragma once

#include "engine/ops/random.h"

namespace mt::cpu {

/// The first pass: checks the weights.
void check_weights(const MultinomialPlan& plan);

/// The second pass, if the plan's source is a twister: one draw per category, row by row.
void draw_categories(const MultinomialPlan& plan);

}  // namespace mt::cpu
