// The plans of random numbers. A kernel takes what it needs from the generator: on the CPU draws of 32 bits, one an element in row-major
// order, so that results are Torch7's.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// out is contiguous, of any dtype that the op takes, and has elements. They become values of the op's distribution, computed in double and
// converted; a and b are its parameters in the op's order. rand is uniform from 0 to 1, randn is normal with 0 and 1.
struct DistributionPlan {
  const Tensor& out;
  Generator& generator;
  double a, b;
};

// out as there. It becomes 1 with a probability, else 0: `chance` or, where they are there, that of `chances` for each element, float64,
// contiguous, as many as out's. If one of them is outside 0..1, or NaN, nothing is drawn, and `improper` becomes true.
struct BernoulliPlan {
  const Tensor& out;
  Generator& generator;
  double chance;
  const Tensor* chances;
  bool& improper;
};

// out as there. Its elements become `first` + 32 random bits modulo `count`; without that where it is 0. Sums wrap as 64 bits do.
struct RandomPlan {
  const Tensor& out;
  Generator& generator;
  int64_t first;
  uint64_t count;
};

// out, int64 and contiguous, becomes 1..n in random order.
struct RandpermPlan {
  const Tensor& out;
  Generator& generator;
};

// What is wrong with weights of categories: in the first row, and there the first of these.
struct WeightsFault {
  enum class Kind : uint8_t { none, weight, no_mass, too_few };
  Kind kind = Kind::none;
  int64_t row;       // from 0
  double weight;     // which is below 0, infinite or NaN
  int64_t positive;  // so many weights are above 0, fewer than are drawn without replacement
};

// weights: float64, contiguous, `categories` in each of `rows` rows. First they are checked; then n categories are drawn for each row of
// out, int64 and contiguous: positions from 1. Without replacement none comes twice.
enum class MultinomialPass : uint8_t { check, draw };
struct MultinomialPlan {
  MultinomialPass pass;
  const Tensor& weights;
  int64_t rows, categories, n;
  bool replacement;
  WeightsFault* fault;   // of the first pass
  const Tensor* out;     // of the second pass
  Generator* generator;  // too
};

void plan_uniform(Call& call);
void plan_normal(Call& call);  // also logNormal
void plan_exponential(Call& call);
void plan_cauchy(Call& call);
void plan_geometric(Call& call);
void plan_bernoulli(Call& call);
void plan_random(Call& call);
void plan_rand(Call& call);
void plan_randn(Call& call);
void plan_randperm(Call& call);
void plan_multinomial(Call& call);

}  // namespace mt
