// What the ops in engine/ops/random-inl.h do. Bits are drawn in order by one thread, a block at a time; several threads turn a block into
// values, which costs more for all but uniform ones. Doubles have Torch7's bits; other floats are rounded from doubles.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "engine/core/generator.h"
#include "engine/cpu/iterator.h"
#include "engine/cpu/normal.h"
#include "engine/cpu/register.h"
#include "engine/ops/create.h"

namespace mt::cpu {
namespace {

#include "engine/ops/random-inl.h"

constexpr int64_t block = int64_t{1} << 16;  // draws: 256 KiB
constexpr int64_t value_grain = 2048;        // values a thread computes at least, some 20 ns each

Generator& generator_of(const Call& call, int i) {
  if (call.has(i)) return *call.arg(i).generator;
  if (call.generator == nullptr) fail(call.name(), call.argument(i), "none came, and the caller has no generator of its own");
  return *call.generator;
}

// The tensor to fill: the given result with its own sizes, else one element.
Tensor target(const Call& call, DType alone) {
  if (!call.is_given(0)) return call.output(0, alone, Shape{1});
  const DType dtype = call.result(0).dtype();
  if (!call.op.decl->integers && !is_float(dtype))
    fail(call.name(), call.op.decl->signature.results[0], dtype, " came, a tensor of floats was expected");
  return call.output(0, dtype, Shape(call.result(0).sizes()));
}

template <class E, class V> E as_element(V value) {
  if constexpr (std::is_same_v<V, bool>)
    return value ? convert_element<E>(int64_t{1}) : E();
  else if constexpr (std::is_integral_v<V>)
    return convert_element<E>(value);
  else
    return element_from<E>(value);
}

// Calls fill(pointer) with contiguous room for the elements of out.
template <class F> void densely(const Tensor& out, F&& fill) {
  if (out.numel() == 0) return;
  const Tensor dense = out.is_contiguous() ? out : Tensor::empty(out.dtype(), out.sizes());
  dispatch(out.dtype(), [&]<class E>(std::type_identity<E>) { fill(dense.data<E>()); });
  if (!out.is_contiguous()) copy(out, dense);
}

// Element i is map(draw, i).
template <class F> void fill_drawn(const Tensor& out, Generator& generator, int64_t grain, const F& map) {
  densely(out, [&]<class E>(E* p) {
    const int64_t n = out.numel();
    std::vector<uint32_t> draws(static_cast<size_t>(std::min(n, block)));
    for (int64_t done = 0; done < n; done += block) {
      const int64_t count = std::min(block, n - done);
      generator.fill({draws.data(), static_cast<size_t>(count)});
      parallel_for(count, grain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) p[done + i] = as_element<E>(map(draws[static_cast<size_t>(i)], done + i));
      });
    }
  });
}

struct Affine {
  double mean, std;
  double operator()(double value) const { return value * std + mean; }
};

// Two elements from every two draws.
template <class E, class F> void map_pairs(const uint32_t* draws, int64_t pairs, const F& map, E* p) {
  if constexpr (std::is_same_v<E, float> && std::is_same_v<F, Affine>) {
    normal_pairs(draws, pairs, map.mean, map.std, p);
  } else {
    for (int64_t i = 0; i < pairs; ++i) {
      const double x = draws[2 * i] * 0x1p-32, y = draws[2 * i + 1] * 0x1p-32;
      const double rho = std::sqrt(-2 * std::log(1 - y)), angle = 2 * std::numbers::pi * x;
      p[2 * i] = as_element<E>(map(rho * std::cos(angle)));
      p[2 * i + 1] = as_element<E>(map(rho * std::sin(angle)));
    }
  }
}

// Element i is map(the next normal value).
template <class F> void fill_normal(const Tensor& out, Generator& generator, const F& map) {
  densely(out, [&]<class E>(E* p) {
    const int64_t n = out.numel();
    int64_t done = 0;
    if (generator.holds_normal()) p[done++] = as_element<E>(map(generator.normal()));
    // The last pair is drawn by the generator itself, whose state keeps it.
    std::vector<uint32_t> draws(static_cast<size_t>(std::min(n, block)));
    while (n - done > 2) {
      const int64_t pairs = std::min(block, n - done - 1) / 2;
      generator.fill({draws.data(), static_cast<size_t>(2 * pairs)});
      parallel_for(pairs, value_grain / 2,
                   [&](int64_t begin, int64_t end) { map_pairs(draws.data() + 2 * begin, end - begin, map, p + done + 2 * begin); });
      done += 2 * pairs;
    }
    for (; done < n; ++done) p[done] = as_element<E>(map(generator.normal()));
  });
}

double unit(uint32_t draw) { return draw * 0x1p-32; }

void fill_uniform(const Tensor& out, Generator& generator, double a, double b) {
  const double width = b - a;
  fill_drawn(out, generator, block, [=](uint32_t draw, int64_t) { return unit(draw) * width + a; });
}

void uniform(Call& call) {
  const Tensor out = target(call, DType::float64);
  fill_uniform(out, generator_of(call, 0), call.number(1), call.number(2));
  call.finish(0, out);
}

void check_std(const Call& call) {
  if (!(call.number(2) > 0)) call.fail_at(2, call.number(2), " came, a standard deviation above 0 was expected");
}

void normal(Call& call) {
  check_std(call);
  const Tensor out = target(call, DType::float64);
  fill_normal(out, generator_of(call, 0), Affine{call.number(1), call.number(2)});
  call.finish(0, out);
}

void log_normal(Call& call) {
  check_std(call);
  const double mean = call.number(1), std = call.number(2);
  const Tensor out = target(call, DType::float64);
  fill_normal(out, generator_of(call, 0), [=](double value) { return std::exp(value * std + mean); });
  call.finish(0, out);
}

void exponential(Call& call) {
  const double lambda = call.number(1);
  if (!(lambda > 0)) call.fail_at(1, lambda, " came, a rate above 0 was expected");
  const Tensor out = target(call, DType::float64);
  fill_drawn(out, generator_of(call, 0), value_grain, [=](uint32_t draw, int64_t) { return -1 / lambda * std::log(1 - unit(draw)); });
  call.finish(0, out);
}

void cauchy(Call& call) {
  const double median = call.number(1), sigma = call.number(2);
  const Tensor out = target(call, DType::float64);
  fill_drawn(out, generator_of(call, 0), value_grain,
             [=](uint32_t draw, int64_t) { return median + sigma * std::tan(std::numbers::pi * (unit(draw) - 0.5)); });
  call.finish(0, out);
}

void geometric(Call& call) {
  const double p = call.number(1);
  if (!(p > 0 && p < 1)) call.fail_at(1, p, " came, a number between 0 and 1 was expected");
  const Tensor out = target(call, DType::int64);
  const double scale = std::log(p);
  fill_drawn(out, generator_of(call, 0), value_grain,
             [=](uint32_t draw, int64_t) { return static_cast<int64_t>(std::log(1 - unit(draw)) / scale) + 1; });
  call.finish(0, out);
}

// 1 where unit(draw) <= chance. Compared as whole numbers, several at a time: a power of two times the chance is exact.
void fill_bernoulli(const Tensor& out, Generator& generator, double chance) {
  const auto limit = static_cast<uint32_t>(std::min(chance * 0x1p32, 0xffffffffp0));
  fill_drawn(out, generator, block, [=](uint32_t draw, int64_t) { return draw <= limit; });
}

void bernoulli(Call& call) {
  const Value& p = call.arg(1);
  if (!p.is_tensor()) {
    const double chance = p.as_double();
    if (!(chance >= 0 && chance <= 1)) call.fail_at(1, chance, " came, a number from 0 to 1 was expected");
    const Tensor out = target(call, DType::int64);
    fill_bernoulli(out, generator_of(call, 0), chance);
    call.finish(0, out);
    return;
  }
  if (!is_float(p.tensor->dtype())) call.fail_at(1, p.tensor->dtype(), " came, a tensor of floats was expected");
  if (!call.is_given(0)) call.fail_at(1, "a tensor came without one to fill: x:bernoulli(p) was expected");
  const Tensor chances = contiguous(to_dtype(*p.tensor, DType::float64));
  const int64_t wanted = call.result(0).numel();
  if (chances.numel() != wanted) call.fail_at(1, chances.numel(), " elements came, ", wanted, " were expected");
  const auto* chance = chances.data<double>();
  if (!std::all_of(chance, chance + wanted, [](double c) { return c >= 0 && c <= 1; })) call.fail_at(1, "its elements must be from 0 to 1");
  const Tensor out = target(call, DType::int64);
  fill_drawn(out, generator_of(call, 0), block, [=](uint32_t draw, int64_t i) { return int64_t{unit(draw) <= chance[i]}; });
  call.finish(0, out);
}

// What 32 bits are reduced by, so that the dtype holds them exactly: 0 for not at all.
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
      return 0;
  }
  return 0;
}

// draw % count by two multiplications. Source: Lemire, Kaser & Kurz (2019), "Faster remainder by direct computation", Softw. Pract.
// Exp. 49.
class Remainder {
 public:
  explicit Remainder(uint32_t count) : count_(count), inverse_(~uint64_t{0} / count + 1) {}
  uint64_t operator()(uint32_t draw) const { return static_cast<uint64_t>(static_cast<Wide>(inverse_ * draw) * count_ >> 64); }

 private:
  __extension__ using Wide = unsigned __int128;
  uint64_t count_, inverse_;
};

// Without its fraction, as programs count on: random(1, n / 2).
int64_t bound(const Call& call, int i) {
  const Value& value = call.args[static_cast<size_t>(i)];
  if (value.type == Value::Type::number && !(value.number >= -0x1p63 && value.number < 0x1p63))
    call.fail_at(i, value.number, " came, a bound of 64 bits was expected");
  return value.as_int();
}

void random(Call& call) {
  uint64_t count = 0;
  int64_t first = 0;
  if (call.has(2)) {
    first = call.has(1) ? bound(call, 1) : 1;
    const int64_t last = bound(call, 2);
    if (last < first) {
      if (call.has(1)) call.fail_at(2, "upper bound must be larger than lower bound: ", first, " to ", last, " came");
      call.fail_at(2, "upper bound must be strictly positive: ", last, " came");
    }
    count = static_cast<uint64_t>(last) - static_cast<uint64_t>(first) + 1;
  }
  const Tensor out = target(call, DType::int64);
  if (!call.has(2)) count = static_cast<uint64_t>(random_modulus(out.dtype()));
  Generator& generator = generator_of(call, 0);
  const auto from = static_cast<uint64_t>(first);
  if (count == 0 || count >> 32 != 0) {  // more than there are draws
    fill_drawn(out, generator, block, [=](uint32_t draw, int64_t) { return static_cast<int64_t>(draw + from); });
  } else {
    const Remainder remainder(static_cast<uint32_t>(count));
    fill_drawn(out, generator, block, [=](uint32_t draw, int64_t) { return static_cast<int64_t>(remainder(draw) + from); });
  }
  call.finish(0, out);
}

// The dtype of what is made, where the op takes only floats one of them.
DType drawn_dtype(const Call& call, int i) {
  const DType dtype = wanted_dtype(call, i);
  if (!call.op.decl->integers && !is_float(dtype)) call.fail_at(i, dtype, " came, a tensor of floats was expected");
  return dtype;
}

void rand(Call& call) {
  const Tensor out = call.output(0, drawn_dtype(call, 2), call.sizes(1));
  fill_uniform(out, generator_of(call, 0), 0, 1);
  call.finish(0, out);
}

void randn(Call& call) {
  const Tensor out = call.output(0, drawn_dtype(call, 2), call.sizes(1));
  fill_normal(out, generator_of(call, 0), Affine{0, 1});
  call.finish(0, out);
}

void randperm(Call& call) {
  const int64_t n = call.integer(1);
  if (n < 1) call.fail_at(1, n, " came, 1 or more was expected");
  const DType dtype = drawn_dtype(call, 2);
  Generator& generator = generator_of(call, 0);
  const Tensor order = Tensor::empty(DType::int64, {n});
  auto* p = order.data<int64_t>();
  std::iota(p, p + n, int64_t{1});
  for (int64_t i = 0; i < n - 1; ++i) std::swap(p[i], p[i + generator.next() % (n - i)]);
  const Tensor out = call.output(0, dtype, order.sizes());
  copy(out, order);
  call.finish(0, out);
}

// Draws n of the categories whose cumulative weights are given, which it changes; positions from 1 go to out[0], out[step], ...
void draw_categories(std::vector<double>& cumulative, int64_t n, bool replacement, Generator& generator, int64_t* out, int64_t step) {
  for (int64_t k = 0; k < n; ++k) {
    const auto found = std::lower_bound(cumulative.begin(), cumulative.end(), generator.uniform());
    const auto chosen = static_cast<size_t>(std::min(found, cumulative.end() - 1) - cumulative.begin());
    out[k * step] = static_cast<int64_t>(chosen) + 1;
    if (replacement || k + 1 == n) continue;
    const double mass = cumulative[chosen] - (chosen > 0 ? cumulative[chosen - 1] : 0);
    for (size_t c = 0; c < cumulative.size(); ++c) cumulative[c] = (c >= chosen ? cumulative[c] - mass : cumulative[c]) / (1 - mass);
  }
}

void multinomial(Call& call) {
  const Tensor& given = call.tensor(0);
  if (!is_float(given.dtype())) call.fail_at(0, given.dtype(), " came, a tensor of floats was expected");
  if ((given.dim() != 1 && given.dim() != 2) || given.numel() == 0)
    call.fail_at(0, given.sizes(), " came, a vector or a matrix was expected");
  const int64_t n = call.integer(1);
  const bool replacement = call.boolean(2), vector = given.dim() == 1;
  const int64_t rows = vector ? 1 : given.size(0), categories = given.size(given.dim() - 1);
  if (n < 1) call.fail_at(1, n, " came, 1 or more was expected");
  const Tensor weights = contiguous(to_dtype(given, DType::float64));
  const auto* p = weights.data<double>();
  for (int64_t r = 0; r < rows; ++r) {
    int64_t positive = 0;
    double total = 0;
    for (int64_t c = 0; c < categories; ++c) {
      const double weight = p[r * categories + c];
      if (!(weight >= 0) || !std::isfinite(weight)) call.fail_at(0, "weight ", weight, " came, numbers not below 0 were expected");
      positive += weight > 0 ? 1 : 0;
      total += weight;
    }
    if (!(total > 0)) call.fail_at(0, "the weights of row ", r + 1, " sum to 0, above 0 was expected");
    if (!replacement && n > positive) call.fail_at(1, n, " came, but only ", positive, " categories have a weight, and each is drawn once");
  }
  Generator& generator = generator_of(call, 3);
  const Tensor out = call.output(0, DType::int64, vector ? Shape{n} : Shape{rows, n});
  const int64_t row_step = vector ? 0 : out.stride(0), step = out.stride(out.dim() - 1);
  std::vector<double> cumulative(static_cast<size_t>(categories));
  for (int64_t r = 0; r < rows; ++r) {
    std::partial_sum(p + r * categories, p + (r + 1) * categories, cumulative.begin());
    const double total = cumulative.back();
    for (double& c : cumulative) c /= total;
    cumulative.back() = 1;
    draw_categories(cumulative, n, replacement, generator, out.data<int64_t>() + r * row_step, step);
  }
  call.finish(0, out);
}

constexpr Row rows[] = {{&Uniform::decl, &uniform},     {&Normal::decl, &normal},        {&Exponential::decl, &exponential},
                        {&Cauchy::decl, &cauchy},       {&LogNormal::decl, &log_normal}, {&Geometric::decl, &geometric},
                        {&Bernoulli::decl, &bernoulli}, {&Random::decl, &random},        {&Rand::decl, &rand},
                        {&Randn::decl, &randn},         {&Randperm::decl, &randperm},    {&Multinomial::decl, &multinomial}};

}  // namespace

std::span<const Row> random_rows() { return rows; }

}  // namespace mt::cpu
