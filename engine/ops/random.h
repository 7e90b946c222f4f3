// The plans of random numbers. With a Mersenne twister a kernel draws 32 bits per element in row-major order, so that results are Torch7's.
// With counters the number of an element in row-major order determines its bits on every device: bits32 or bits64, as the plans say, which
// engine/ops/drawn-inl.h converts to values.
#pragma once

#include "engine/core/philox.h"
#include "engine/core/registry.h"

namespace mt {

class Mersenne;

// The source of a call's random bits: a Mersenne twister, in order, or, if that is null, counters.
struct RandomSource {
  Mersenne* twister = nullptr;  // always null on devices that draw by counter
  Draws draws;

  void visit(OperandVisitor& visitor) { visitor.generator(); }
};

// out is contiguous, of any dtype that the op accepts, and has elements. They become values of the op's distribution, computed in double
// and converted; a and b are its parameters in the op's order. rand is uniform from 0 to 1, randn is normal with 0 and 1. By counter,
// float64 and geometric use 64 bits per element and compute in double, the others use 32 bits and compute in float.
struct DistributionPlan {
  Operand out;
  RandomSource source;
  double a, b;
};

// out as in DistributionPlan. It becomes 1 with a probability, else 0: `chance`, or, if present, the element's in `chances`, float64,
// contiguous, as many as out's. If a probability is outside 0..1, or NaN, out is not written, and `improper` becomes true. 32 bits per
// element.
struct BernoulliPlan {
  Operand out;
  RandomSource source;
  double chance;
  Operand chances;
  Answer<bool> improper{};
};

// out as in DistributionPlan. Its elements become `first` + 32 random bits modulo `count`; without the modulo if it is 0. Sums wrap as 64
// bits do. By counter, and for counts above 2^32, they are `first` + 64 bits * count / 2^64; for a count of 0, the higher 32 bits.
struct RandomPlan {
  Operand out;
  RandomSource source;
  int64_t first;
  uint64_t count;
};

// out, int64 and contiguous, becomes 1..n in random order: by counter, sorted by 64 bits each, equal ones in order.
struct RandpermPlan {
  Operand out;
  RandomSource source;
};

// An error in weights of categories: the first one of the first row with errors.
struct WeightsFault {
  enum class Kind : uint8_t { none, weight, no_mass, too_few };
  Kind kind = Kind::none;
  int64_t row;       // from 0
  double weight;     // a weight below 0, infinite or NaN
  int64_t positive;  // number of weights above 0, if it is less than the number drawn without replacement
};

// weights: float64, contiguous, `categories` in each of `rows` rows. The first pass checks them; the second draws n categories for each row
// of out, int64 and contiguous: positions from 1. Without replacement they are distinct. By counter, with replacement element i of out uses
// 64 bits; without it each weight does, and the result is the n categories with the least drawn_order of the row, in that order.
enum class MultinomialPass : uint8_t { check, draw };
struct MultinomialPlan {
  MultinomialPass pass;
  Operand weights;
  int64_t rows, categories, n;
  bool replacement;
  Operand out = {};              // of the second pass
  RandomSource source = {};      // of the second pass
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
