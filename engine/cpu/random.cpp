// The CPU's kernels of random numbers, with a Mersenne twister (counted.h: by counter). One thread draws bits in order, a block at a time;
// several threads convert a block to values, which takes longer except for uniform values. Doubles have Torch7's bits; other floats are
// rounded from doubles.
#include "engine/ops/random.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "engine/core/built.h"
#include "engine/core/mersenne.h"
#include "engine/core/uint128.h"
#include "engine/cpu/counted.h"
#include "engine/cpu/iterate.h"
#include "engine/cpu/multinomial.h"
#include "engine/cpu/normal.h"
#include "engine/cpu/register.h"
#include "engine/ops/twister_values.h"

namespace mt::cpu {
namespace {

#include "engine/ops/random-inl.h"

constexpr int64_t block = int64_t{1} << 16;  // draws: 256 KiB
constexpr int64_t value_grain = 2048;        // values per thread at least, some 20 ns each

template <class E, class V> E as_element(V value) {
  if constexpr (std::is_same_v<V, bool>)
    return value ? convert_element<E>(int64_t{1}) : E();
  else if constexpr (std::is_integral_v<V>)
    return convert_element<E>(value);
  else
    return element_from<E>(value);
}

// Sets element i to map(draw, i).
template <class F> void fill_drawn(const Tensor& out, Mersenne& generator, int64_t grain, const F& map) {
  const int64_t n = out.numel();
  dispatch(out.dtype(), [&]<class E>(std::type_identity<E>) {
    E* const p = out.data<E>();
    std::vector<uint32_t> draws(static_cast<size_t>(std::min(n, block)));
    for (int64_t done = 0; done < n; done += block) {
      const int64_t count = std::min(block, n - done);
      generator.fill({draws.data(), static_cast<size_t>(count)});
      parallel_for(count, grain, [&](int64_t begin, int64_t end) {
        const uint32_t* const from = draws.data();  // copies, because writes to bytes might alias everything referred to
        E* const to = p + done;
        const F own = map;
        const int64_t first = done;
        for (int64_t i = begin; i < end; ++i) to[i] = as_element<E>(own(from[i], first + i));
      });
    }
  });
}

// Computes two elements from every two draws.
template <class E, class F> void map_pairs(const uint32_t* draws, int64_t pairs, const F& map, E* p) {
  if constexpr (std::is_same_v<E, float> && std::is_same_v<F, twister::Normal>) {
    normal_pairs(draws, pairs, map.mean, map.std, p);
  } else {
    for (int64_t i = 0; i < pairs; ++i) {
      const double x = twister::unit(draws[2 * i]), y = twister::unit(draws[2 * i + 1]);
      const double rho = std::sqrt(-2 * std::log(1 - y)), angle = 2 * std::numbers::pi * x;
      p[2 * i] = as_element<E>(map(rho * std::cos(angle)));
      p[2 * i + 1] = as_element<E>(map(rho * std::sin(angle)));
    }
  }
}

// Sets element i to map(the next normal value).
template <class F> void fill_normal(const Tensor& out, Mersenne& generator, const F& map) {
  const int64_t n = out.numel();
  dispatch(out.dtype(), [&]<class E>(std::type_identity<E>) {
    E* const p = out.data<E>();
    int64_t done = 0;
    if (generator.holds_normal()) p[done++] = as_element<E>(map(generator.normal()));
    // The generator itself draws the last pair, because its state stores the second value.
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

void run_uniform(const DistributionPlan& plan) {
  if (plan.source.twister == nullptr) return run_counted(plan, drawn::Kind::uniform);
  const twister::Uniform value{plan.a, plan.b - plan.a};
  fill_drawn(plan.out, *plan.source.twister, block, [=](uint32_t draw, int64_t) { return value(draw); });
}

void run_normal(const DistributionPlan& plan) {
  if (plan.source.twister == nullptr) return run_counted(plan, drawn::Kind::normal);
  fill_normal(plan.out, *plan.source.twister, twister::Normal{plan.a, plan.b});
}

void run_log_normal(const DistributionPlan& plan) {
  if (plan.source.twister == nullptr) return run_counted(plan, drawn::Kind::log_normal);
  fill_normal(plan.out, *plan.source.twister, twister::LogNormal{plan.a, plan.b});
}

void run_exponential(const DistributionPlan& plan) {
  if (plan.source.twister == nullptr) return run_counted(plan, drawn::Kind::exponential);
  const twister::Exponential value{plan.a};
  fill_drawn(plan.out, *plan.source.twister, value_grain, [=](uint32_t draw, int64_t) { return value(draw); });
}

void run_cauchy(const DistributionPlan& plan) {
  if (plan.source.twister == nullptr) return run_counted(plan, drawn::Kind::cauchy);
  const twister::Cauchy value{plan.a, plan.b};
  fill_drawn(plan.out, *plan.source.twister, value_grain, [=](uint32_t draw, int64_t) { return value(draw); });
}

void run_geometric(const DistributionPlan& plan) {
  if (plan.source.twister == nullptr) return run_counted_geometric(plan);
  const twister::Geometric value(plan.a);
  fill_drawn(plan.out, *plan.source.twister, value_grain, [=](uint32_t draw, int64_t) { return value(draw); });
}

// A single probability is compared as integers, in vectors.
void run_bernoulli(const BernoulliPlan& plan) {
  if (plan.source.twister == nullptr) return run_counted(plan);
  if (!plan.chances) {
    const twister::Bernoulli value(plan.chance);
    return fill_drawn(plan.out, *plan.source.twister, block, [=](uint32_t draw, int64_t) { return value(draw); });
  }
  const auto* chances = plan.chances.data<double>();
  *plan.improper = !std::all_of(chances, chances + plan.out.numel(), [](double c) { return c >= 0 && c <= 1; });
  if (*plan.improper) return;
  fill_drawn(plan.out, *plan.source.twister, block, [=](uint32_t draw, int64_t i) { return int64_t{twister::unit(draw) <= chances[i]}; });
}

// draw % count by two multiplications. Source: Lemire, Kaser & Kurz (2019), "Faster remainder by direct computation", Softw. Pract.
// Exp. 49.
class Remainder {
 public:
  explicit Remainder(uint32_t count) : count_(count), inverse_(~uint64_t{0} / count + 1) {}
  uint64_t operator()(uint32_t draw) const { return static_cast<uint64_t>(static_cast<Uint128>(inverse_ * draw) * count_ >> 64); }

 private:
  uint64_t count_, inverse_;
};

// Sets element i to map(64 bits, two draws).
template <class F> void fill_from_two(const Tensor& out, Mersenne& generator, const F& map) {
  const int64_t n = out.numel();
  dispatch(out.dtype(), [&]<class E>(std::type_identity<E>) {
    E* const p = out.data<E>();
    for (int64_t i = 0; i < n; ++i) {
      const uint64_t high = generator.next();
      p[i] = as_element<E>(map(high << 32 | generator.next()));
    }
  });
}

void run_random(const RandomPlan& plan) {
  if (plan.source.twister == nullptr) return run_counted(plan);
  const auto from = static_cast<uint64_t>(plan.first);
  if (plan.count > uint64_t{1} << 32) {
    fill_from_two(plan.out, *plan.source.twister,
                  [=, count = plan.count](uint64_t bits) { return static_cast<int64_t>(drawn::one_of(bits, count) + from); });
  } else if (plan.count == 0 || plan.count >> 32 != 0) {  // as many elements as draws
    fill_drawn(plan.out, *plan.source.twister, block, [=](uint32_t draw, int64_t) { return static_cast<int64_t>(draw + from); });
  } else {
    const Remainder remainder(static_cast<uint32_t>(plan.count));
    fill_drawn(plan.out, *plan.source.twister, block, [=](uint32_t draw, int64_t) { return static_cast<int64_t>(remainder(draw) + from); });
  }
}

void run_randperm(const RandpermPlan& plan) {
  if (plan.source.twister == nullptr) return run_counted(plan);
  Mersenne& generator = *plan.source.twister;
  auto* p = plan.out.data<int64_t>();
  const int64_t n = plan.out.numel();
  std::iota(p, p + n, int64_t{1});
  for (int64_t i = 0; i < n - 1; ++i) std::swap(p[i], p[i + generator.next() % (n - i)]);
}

void run_multinomial(const MultinomialPlan& plan) {
  if (plan.pass == MultinomialPass::check) return check_weights(plan);
  plan.source.twister == nullptr ? run_counted(plan) : draw_categories(plan);
}

constexpr Row rows[] = {{&Uniform::decl, &plan_uniform, kernel<&run_uniform>()},
                        {&Normal::decl, &plan_normal, kernel<&run_normal>()},
                        {&Exponential::decl, &plan_exponential, kernel<&run_exponential>()},
                        {&Cauchy::decl, &plan_cauchy, kernel<&run_cauchy>()},
                        {&LogNormal::decl, &plan_normal, kernel<&run_log_normal>()},
                        {&Geometric::decl, &plan_geometric, kernel<&run_geometric>()},
                        {&Bernoulli::decl, &plan_bernoulli, kernel<&run_bernoulli>()},
                        {&Random::decl, &plan_random, kernel<&run_random>()},
                        {&Rand::decl, &plan_rand, kernel<&run_uniform>()},
                        {&Randn::decl, &plan_randn, kernel<&run_normal>()},
                        {&Randperm::decl, &plan_randperm, kernel<&run_randperm>()},
                        {&Multinomial::decl, &plan_multinomial, kernel<&run_multinomial>()}};

}  // namespace

std::span<const Row> random_rows() { return built_rows<rows>(); }

}  // namespace mt::cpu
