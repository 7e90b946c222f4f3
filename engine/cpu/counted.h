// The CPU's kernels of random numbers by counter: for plans without a Mersenne twister. Any thread can compute any element.
#pragma once

#include "engine/ops/drawn.h"
#include "engine/ops/random.h"

namespace mt::cpu {

void run_counted(const DistributionPlan& plan, drawn::Kind kind);
void run_counted_geometric(const DistributionPlan& plan);
void run_counted(const BernoulliPlan& plan);
void run_counted(const RandomPlan& plan);
void run_counted(const RandpermPlan& plan);
void run_counted(const MultinomialPlan& plan);  // the second pass

}  // namespace mt::cpu
