// Draws of categories from a Mersenne twister, as Torch7 makes them.
#pragma once

#include "engine/ops/random.h"

namespace mt::cpu {

/// The first pass: looks at the weights.
void check_weights(const MultinomialPlan& plan);

/// The second pass, where the plan's source is a twister: one draw a category that is drawn, row by row.
void draw_categories(const MultinomialPlan& plan);

}  // namespace mt::cpu
