// The CPU's kernels of optimisation steps, for each instruction set: one pass that reads and writes every array once.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/optim.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

#include <hwy/cache_control.h>

#include "engine/core/built.h"
#include "engine/core/parallel.h"
#include "engine/cpu/lane-inl.h"
#include "engine/ops/optim.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

#include "engine/ops/optim-inl.h"

// The least number of elements per thread: some 10 us of work.
constexpr int64_t step_grain = 32768;

using Arrays = std::array<std::byte*, 2 + most_states>;

// Calls step(load, store) for each vector of n elements; the last one may be partial.
template <class C, class Step> MT_FN void each_vector(int64_t n, Step step) {
  using D = typename Simd<C>::D;
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    step([&](const C* p) { return Simd<C>(hn::LoadU(D(), p + i)); }, [&](Simd<C> v, C* p) { hn::StoreU(v.v, D(), p + i); });
  }
  if (i < n) {
    const auto rest = hn::FirstN(d, static_cast<size_t>(n - i));
    step([&](const C* p) { return Simd<C>(load_first(rest, D(), p + i)); }, [&](Simd<C> v, C* p) { store_first(v.v, rest, D(), p + i); });
  }
}

// Updates n elements of a parameter's arrays.
template <class Functor, class C> void step_loop(const Arrays& arrays, int64_t n, const double* numbers) {
  using V = Simd<C>;
  C* at[Functor::arrays];
  V r[Functor::numbers];
  for (int k = 0; k < Functor::arrays; ++k) at[k] = reinterpret_cast<C*>(arrays[k]);
  for (int k = 0; k < Functor::numbers; ++k) r[k] = V(numbers[k]);
  each_vector<C>(n, [&](auto load, auto store) {
    V elements[Functor::arrays];
#pragma GCC unroll 5
    for (int k = 0; k < Functor::arrays; ++k) elements[k] = load(at[k]);
    Functor()(elements, r);
#pragma GCC unroll 5
    for (int k = 0; k < Functor::arrays; ++k) {
      if ((Functor::changed >> k & 1) != 0) store(elements[k], at[k]);
    }
  });
}

// Requests the first cache lines of an array: the processor's own prefetcher does not cross from one small tensor to the next.
inline void fetch(const std::byte* data, int64_t bytes) {
  for (int64_t at = 0; at < std::min<int64_t>(bytes, 1024); at += 64) hwy::Prefetch(data + at);
}

// Calls run(parameter, its position, its elements begin to end, the number of elements before it) for parts of all parameters, in threads:
// elements are counted through the list, so that many small tensors are divided like one large one.
template <class Run> void each_part(const OperandList<StepParameter>& parameters, Run run) {
  std::vector<int64_t> starts;
  starts.reserve(parameters.size() + 1);
  int64_t total = 0;
  for (const StepParameter& p : parameters) {
    starts.push_back(total);
    total += p.n;
  }
  starts.push_back(total);
  parallel_for(total, step_grain, [&](int64_t begin, int64_t end) {
    auto i = static_cast<size_t>(std::upper_bound(starts.begin(), starts.end(), begin) - starts.begin()) - 1;
    for (; begin < end; ++i) {
      const int64_t last = std::min(end, starts[i + 1]);
      const StepParameter* const p = &parameters.begin()[i];
      if (last < end) {
        const int64_t bytes = p[1].n * (p[1].wide ? 8 : 4);
        fetch(p[1].x, bytes);
        fetch(p[1].gradient, bytes);
      }
      run(*p, i, begin - starts[i], last - starts[i], starts[i]);
      begin = last;
    }
  });
}

using StepLoop = void (*)(const Arrays& arrays, int64_t n, const double* numbers);

// The loops of an op's functors, each for float32 and float64.
template <class... Functors> constexpr std::array<std::array<StepLoop, 2>, sizeof...(Functors)> step_loops(List<Functors...>) {
  return {{{&step_loop<Functors, float>, &step_loop<Functors, double>}...}};
}

template <class Op> void run_step(const StepPlan& plan) {
  static constexpr auto loops = step_loops(typename Op::Functors());
  const auto& loop = loops[static_cast<size_t>(plan.variant)];
  each_part(plan.parameters, [&](const StepParameter& p, size_t i, int64_t begin, int64_t end, int64_t before) {
    const int64_t size = p.wide ? 8 : 4;
    Arrays arrays{p.x + begin * size, p.gradient + begin * size};
    for (size_t k = 0; k < most_states && !plan.states[k].empty(); ++k) {
      const bool is_whole = plan.states[k].size() == 1;
      arrays[2 + k] = plan.states[k].begin()[is_whole ? 0 : i] + (begin + (is_whole ? before : 0)) * size;
    }
    loop[p.wide ? 1 : 0](arrays, end - begin, plan.numbers.data());
  });
}

// Whether one of n elements was infinite or NaN.
template <class C> bool unscale_loop(C* x, int64_t n, double by) {
  using V = Simd<C>;
  const V factor(by);
  V seen(0);
  each_vector<C>(n, [&](auto load, auto store) {
    V p = load(x);
    Unscale()(p, seen, factor);
    store(p, x);
  });
  return !hn::AllTrue(typename V::D(), hn::Eq(seen.v, seen.v));
}

void run_unscale(const UnscalePlan& plan) {
  std::atomic<bool> found = false;
  each_part(plan.gradients, [&](const StepParameter& p, size_t, int64_t begin, int64_t end, int64_t) {
    const bool is_seen = p.wide ? unscale_loop(reinterpret_cast<double*>(p.x.data()) + begin, end - begin, plan.factor)
                                : unscale_loop(reinterpret_cast<float*>(p.x.data()) + begin, end - begin, plan.factor);
    if (is_seen) found.store(true, std::memory_order_relaxed);
  });
  if (found) *plan.found.data<float>() = 1;
}

constexpr Row rows[] = {{&SgdStep::decl, &plan_sgd_step, kernel<&run_step<SgdStep>>()},
                        {&AdamStep::decl, &plan_adam_step, kernel<&run_step<AdamStep>>()},
                        {&AmsgradStep::decl, &plan_amsgrad_step, kernel<&run_step<AmsgradStep>>()},
                        {&NadamStep::decl, &plan_nadam_step, kernel<&run_step<NadamStep>>()},
                        {&RadamStep::decl, &plan_radam_step, kernel<&run_step<RadamStep>>()},
                        {&AdamaxStep::decl, &plan_adamax_step, kernel<&run_step<AdamaxStep>>()},
                        {&RmspropStep::decl, &plan_rmsprop_step, kernel<&run_step<RmspropStep>>()},
                        {&AdagradStep::decl, &plan_adagrad_step, kernel<&run_step<AdagradStep>>()},
                        {&AdadeltaStep::decl, &plan_adadelta_step, kernel<&run_step<AdadeltaStep>>()},
                        {&LionStep::decl, &plan_lion_step, kernel<&run_step<LionStep>>()},
                        {&AsgdStep::decl, &plan_asgd_step, kernel<&run_step<AsgdStep>>()},
                        {&RpropStep::decl, &plan_rprop_step, kernel<&run_step<RpropStep>>()},
                        {&Unscale::decl, &plan_unscale, kernel<&run_unscale>()},
                        {&ClipValues::decl, &plan_clip_values, kernel<&run_step<ClipValues>>()}};

std::span<const Row> optim_rows() { return built_rows<rows>(); }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
HWY_EXPORT(optim_rows);
namespace cpu {
std::span<const Row> optim_rows() { return HWY_DYNAMIC_DISPATCH(optim_rows)(); }
}  // namespace cpu
}  // namespace mt
#endif
