#include "engine/ops/random.h"

#include "engine/core/generator.h"
#include "engine/ops/create.h"

namespace mt {
namespace {

// The number of elements that use one block of Philox.
enum class PerBlock : uint8_t { two = 2, four = 4 };

// The source of bits for `count` elements: argument i, else the current generator of the device. On meta nothing is drawn.
RandomSource source_of(const Call& call, int i, int64_t count, PerBlock per_block) {
  if (!call.has(i) && call.generators == nullptr)
    fail(call.name(), call.argument(i), "none, expected a generator: the caller has none of its own");
  if (call.device == meta_device) return {};
  const auto per = static_cast<uint64_t>(per_block), blocks = (static_cast<uint64_t>(count) + per - 1) / per;
  const bool by_counter = call.device != cpu_device && device(call.device).draws_by_counter();
  if (by_counter && !call.has(i)) return {nullptr, call.generators->of_device[call.device].take(blocks)};
  Generator& generator = call.has(i) ? *call.arg(i).generator : call.generators->own;
  if (Mersenne* twister = generator.twister(); twister != nullptr && !by_counter) return {twister, {}};
  return {nullptr, generator.take(blocks)};
}

// The tensor to fill: the out argument with its own sizes, else one element.
Tensor target(const Call& call, DType alone) {
  if (!call.is_given(0)) return call.output(0, alone, Shape{1});
  const DType dtype = call.result(0).dtype();
  if (const DTypeSet taken = call.op.decl->dtypes; !taken.contains(dtype))
    fail<Status::dtype>(call.name(), call.op.decl->signature.results[0], dtype, ", expected ", tensors_of(taken));
  return call.output(0, dtype, Shape(call.result(0).sizes()), {.dense = true});
}

void distribute(Call& call, const Tensor& out, PerBlock per_block, double a, double b) {
  const RandomSource source = source_of(call, 0, out.numel(), per_block);
  if (out.numel() > 0) call.launch<DistributionPlan>(out, source, a, b);
  call.finish(0, out);
}
void distribute(Call& call, const Tensor& out, double a, double b) {
  distribute(call, out, out.dtype() == DType::float64 ? PerBlock::two : PerBlock::four, a, b);
}

// The dtype of the result; raises an error if the op doesn't accept it.
DType drawn_dtype(const Call& call, int i) {
  const DType dtype = wanted_dtype(call, i);
  if (const DTypeSet taken = call.op.decl->dtypes; !taken.contains(dtype))
    call.fail_at<Status::dtype>(i, dtype, ", expected ", tensors_of(taken));
  return dtype;
}

}  // namespace

void plan_uniform(Call& call) { distribute(call, target(call, DType::float64), call.number(1), call.number(2)); }

void plan_normal(Call& call) {
  if (!(call.number(2) > 0)) call.fail_at<Status::range>(2, call.number(2), ", expected a standard deviation above 0");
  distribute(call, target(call, DType::float64), call.number(1), call.number(2));
}

void plan_exponential(Call& call) {
  const double lambda = call.number(1);
  if (!(lambda > 0)) call.fail_at<Status::range>(1, lambda, ", expected a rate above 0");
  distribute(call, target(call, DType::float64), lambda, 0);
}

void plan_cauchy(Call& call) { distribute(call, target(call, DType::float64), call.number(1), call.number(2)); }

void plan_geometric(Call& call) {
  const double p = call.number(1);
  if (!(p > 0 && p < 1)) call.fail_at<Status::range>(1, p, ", expected a number between 0 and 1");
  distribute(call, target(call, DType::int64), PerBlock::two, p, 0);
}

void plan_rand(Call& call) { distribute(call, call.output(0, drawn_dtype(call, 2), call.sizes(1), {.dense = true}), 0, 1); }
void plan_randn(Call& call) { distribute(call, call.output(0, drawn_dtype(call, 2), call.sizes(1), {.dense = true}), 0, 1); }

void plan_bernoulli(Call& call) {
  const Value& p = call.arg(1);
  double chance = 0;
  Tensor chances;
  if (p.is_tensor()) {
    if (!is_float(p.tensor->dtype())) call.fail_at<Status::dtype>(1, p.tensor->dtype(), ", expected a tensor of floats");
    if (!call.is_given(0)) call.fail_at(1, "a tensor without one to fill, expected x:bernoulli(p)");
    chances = contiguous(to_dtype(*p.tensor, DType::float64));
    const int64_t wanted = call.result(0).numel();
    if (chances.numel() != wanted) call.fail_at<Status::shape>(1, chances.numel(), " elements, expected ", wanted);
  } else {
    chance = p.as_double();
    if (!(chance >= 0 && chance <= 1)) call.fail_at<Status::range>(1, chance, ", expected a number from 0 to 1");
  }
  const Tensor out = target(call, DType::int64);
  const RandomSource source = source_of(call, 0, out.numel(), PerBlock::four);
  if (out.numel() > 0) {
    const BernoulliPlan plan{out, source, chance, chances, Answer<bool>(p.is_tensor())};
    call.launch(plan);
    if (*plan.improper) call.fail_at<Status::range>(1, "its elements must be from 0 to 1");
  }
  call.finish(0, out);
}

namespace {

// The modulus for 32 bits so that the dtype represents them exactly; 0 for none.
int64_t random_modulus(DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return 2;
    case DType::uint8:
      return 256;
    case DType::int8:
      return 128;
    case DType::int16:
      return 32768;
    case DType::int32:
      return int64_t{1} << 31;
    case DType::float32:
      return (int64_t{1} << 24) + 1;
    case DType::float16:
      return (int64_t{1} << 11) + 1;
    case DType::bfloat16:
      return (int64_t{1} << 8) + 1;
    case DType::int64:
    case DType::float64:
    default:  // dtypes for storage, which no op draws
      return 0;
  }
  return 0;
}

// An argument without its fraction, because programs rely on that: random(1, n / 2).
int64_t bound(const Call& call, int i) {
  const Value& value = call.args[static_cast<size_t>(i)];
  if (value.type == Value::Type::number && !(value.number >= -0x1p63 && value.number < 0x1p63))
    call.fail_at<Status::range>(i, value.number, ", expected a bound of 64 bits");
  return value.as_int();
}

}  // namespace

void plan_random(Call& call) {
  uint64_t count = 0;
  int64_t first = 0;
  if (call.has(2)) {
    first = call.has(1) ? bound(call, 1) : 1;
    const int64_t last = bound(call, 2);
    if (last < first) {
      if (call.has(1)) call.fail_at<Status::range>(2, "upper bound must be larger than lower bound: ", first, " to ", last);
      call.fail_at<Status::range>(2, "upper bound must be strictly positive: ", last);
    }
    count = static_cast<uint64_t>(last) - static_cast<uint64_t>(first) + 1;
    if (count == 0) --count;  // all integers of 64 bits, one more than count can hold: the last is left out
  }
  const Tensor out = target(call, DType::int64);
  if (!call.has(2)) count = static_cast<uint64_t>(random_modulus(out.dtype()));
  const RandomSource source = source_of(call, 0, out.numel(), PerBlock::two);
  if (out.numel() > 0) call.launch<RandomPlan>(out, source, first, count);
  call.finish(0, out);
}

void plan_randperm(Call& call) {
  const int64_t n = call.integer(1);
  if (n < 1) call.fail_at<Status::range>(1, n, ", expected 1 or more");
  const DType dtype = drawn_dtype(call, 2);
  const RandomSource source = source_of(call, 0, n, PerBlock::two);
  const Tensor out = call.output(0, dtype, Shape{n}, {.dense = true, .computed_in = DType::int64});
  call.launch<RandpermPlan>(out, source);
  call.finish(0, out);
}

namespace {

void report(const Call& call, const WeightsFault& fault) {
  switch (fault.kind) {
    case WeightsFault::Kind::none:
      return;
    case WeightsFault::Kind::weight:
      call.fail_at<Status::range>(0, "weight ", fault.weight, ", expected numbers not below 0");
    case WeightsFault::Kind::no_mass:
      call.fail_at<Status::range>(0, "the weights of row ", fault.row + 1, " sum to 0, expected above 0");
    case WeightsFault::Kind::too_few:
      call.fail_at<Status::range>(1, call.integer(1), ", expected at most ", fault.positive,
                                  ": as many categories have a weight, and each is drawn once");
  }
}

}  // namespace

void plan_multinomial(Call& call) {
  const Tensor& given = call.tensor(0);
  if (!is_float(given.dtype())) call.fail_at<Status::dtype>(0, given.dtype(), ", expected a tensor of floats");
  if ((given.dim() != 1 && given.dim() != 2) || given.numel() == 0)
    call.fail_at<Status::shape>(0, given.sizes(), ", expected a vector or a matrix");
  const int64_t n = call.integer(1);
  const bool vector = given.dim() == 1;
  const int64_t rows = vector ? 1 : given.size(0);
  if (n < 1) call.fail_at<Status::range>(1, n, ", expected 1 or more");
  const Tensor weights = contiguous(to_dtype(given, DType::float64));
  MultinomialPlan plan{MultinomialPass::check, weights, rows, given.size(given.dim() - 1), n, call.boolean(2)};
  call.launch(plan);
  report(call, plan.fault);
  plan.source = source_of(call, 3, rows * (plan.replacement ? n : plan.categories), PerBlock::two);
  const Tensor out = call.output(0, DType::int64, vector ? Shape{n} : Shape{rows, n}, {.dense = true});
  plan.pass = MultinomialPass::draw;
  plan.out = out;
  call.launch(plan);
  call.finish(0, out);
}

}  // namespace mt
