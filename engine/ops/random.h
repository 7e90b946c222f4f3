// The plans of random numbers. Of a Mersenne twister a kernel takes draws of 32 bits, one an element in row-major order, so that results
// are Torch7's. Of counters an element's bits are those that its number in row-major order names, whoever computes it: bits32 or bits64,
// as the plans say, of what engine/ops/drawn-inl.h makes values.
#pragma once

#include "engine/core/philox.h"
#include "engine/core/registry.h"

namespace mt {

class Mersenne;

// Where a call's bits come from: a Mersenne twister, in order, or, where there is none, counters of its own.
struct RandomSource {
  Mersenne* twister = nullptr;  // never on a device that draws by counter
  Draws draws;

  void visit(OperandVisitor& visitor) { visitor.generator(); }
};

// out is contiguous, of any dtype that the op takes, and has elements. They become values of the op's distribution, computed in double and
// converted; a and b are its parameters in the op's order. rand is uniform from 0 to 1, randn is normal with 0 and 1. By counter, float64
// and geometric take 64 bits an element and compute in double, the others take 32 bits and compute in float.
struct DistributionPlan {
  Operand out;
  RandomSource source;
  double a, b;
};

// out as there. It becomes 1 with a probability, else 0: `chance` or, where they are there, that of `chances` for each element, float64,
// contiguous, as many as out's. If one of them is outside 0..1, or NaN, out stays as it is, and `improper` becomes true. 32 bits an
// element.
struct BernoulliPlan {
  Operand out;
  RandomSource source;
  double chance;
  Operand chances;
  Answer<bool> improper{};
};

// out as there. Its elements become `first` + 32 random bits modulo `count`; without that where it is 0. Sums wrap as 64 bits do. By
// counter, and for counts above 2^32, they are `first` + 64 bits * count / 2^64, and of a count of 0 the higher 32 bits.
struct RandomPlan {
  Operand out;
  RandomSource source;
  int64_t first;
  uint64_t count;
};

// out, int64 and contiguous, becomes 1..n in random order: by counter in that of 64 bits each, equal ones in order.
struct RandpermPlan {
  Operand out;
  RandomSource source;
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
// out, int64 and contiguous: positions from 1. Without replacement none comes twice. By counter, with replacement element i of out takes
// 64 bits; without it each weight does, and the n least of the row's drawn_order are what is drawn, in their order.
enum class MultinomialPass : uint8_t { check, draw };
struct MultinomialPlan {
  MultinomialPass pass;
  Operand weights;
  int64_t rows, categories, n;
  bool replacement;
  Operand out = {};              // of the second pass
  RandomSource source = {};      // too
  Answer<WeightsFault> fault{};  // of the first pass
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
