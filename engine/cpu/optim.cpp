// The CPU's kernels of optimisation steps, for each instruction set: one pass that reads and writes every array once.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/optim.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include <atomic>
#include <span>

#include "engine/core/parallel.h"
#include "engine/cpu/lane-inl.h"
#include "engine/ops/optim.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

#include "engine/ops/optim-inl.h"

// The least number of elements per thread: some 10 us of work.
constexpr int64_t step_grain = 32768;

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
    step([&](const C* p) { return Simd<C>(load_first(rest, D(), p + i)); },
         [&](Simd<C> v, C* p) { hn::BlendedStore(v.v, rest, D(), p + i); });
  }
}

template <class C> void sgd_loop(C* x, const C* gradient, C* buffer, int64_t n, const SgdRates& r) {
  using V = Simd<C>;
  const V rate(r.rate), momentum(r.momentum), kept(1 - r.dampening), decay(r.weight_decay);
  if (buffer == nullptr) {
    each_vector<C>(n, [&](auto load, auto store) {
      V p = load(x);
      SgdStep()(p, load(gradient), rate, decay);
      store(p, x);
    });
    return;
  }
  each_vector<C>(n, [&](auto load, auto store) {
    V p = load(x), b = load(buffer);
    SgdStep()(p, load(gradient), b, rate, momentum, kept, decay, r.nesterov);
    store(b, buffer);
    store(p, x);
  });
}

template <class C> void adam_loop(C* x, const C* gradient, C* mean, C* square, int64_t n, const AdamRates& r) {
  using V = Simd<C>;
  const V rate(r.rate), beta1(r.beta1), rest1(1 - r.beta1), beta2(r.beta2), rest2(1 - r.beta2), epsilon(r.epsilon), decay(r.weight_decay);
  each_vector<C>(n, [&](auto load, auto store) {
    V p = load(x), m = load(mean), v = load(square);
    AdamStep()(p, load(gradient), m, v, rate, beta1, rest1, beta2, rest2, epsilon, decay);
    store(m, mean);
    store(v, square);
    store(p, x);
  });
}

template <class C> void run_sgd(const SgdTensors& t, const SgdRates& rates) {
  C *x = t.x.data<C>(), *buffer = t.buffer.data<C>();
  const C* gradient = t.gradient.data<C>();
  parallel_for(t.x.numel(), step_grain, [&](int64_t begin, int64_t end) {
    sgd_loop(x + begin, gradient + begin, buffer == nullptr ? nullptr : buffer + begin, end - begin, rates);
  });
}

template <class C> void run_adam(const AdamTensors& t, const AdamRates& rates) {
  C *x = t.x.data<C>(), *mean = t.mean.data<C>(), *square = t.square.data<C>();
  const C* gradient = t.gradient.data<C>();
  parallel_for(t.x.numel(), step_grain, [&](int64_t begin, int64_t end) {
    adam_loop(x + begin, gradient + begin, mean + begin, square + begin, end - begin, rates);
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

template <class C> bool unscale(const Tensor& gradient, double factor) {
  C* x = gradient.data<C>();
  std::atomic<bool> found = false;
  parallel_for(gradient.numel(), step_grain, [&](int64_t begin, int64_t end) {
    if (unscale_loop(x + begin, end - begin, factor)) found.store(true, std::memory_order_relaxed);
  });
  return found;
}

void run_unscale(const UnscalePlan& plan) {
  bool found = false;
  for (const Tensor& gradient : plan.gradients)
    found |= gradient.dtype() == DType::float32 ? unscale<float>(gradient, plan.factor) : unscale<double>(gradient, plan.factor);
  if (found) *plan.found.data<float>() = 1;
}

void run_sgd_step(const SgdPlan& plan) {
  for (const SgdTensors& t : plan.parameters) (t.x.dtype() == DType::float32 ? run_sgd<float> : run_sgd<double>)(t, plan.rates);
}
void run_adam_step(const AdamPlan& plan) {
  for (const AdamTensors& t : plan.parameters) (t.x.dtype() == DType::float32 ? run_adam<float> : run_adam<double>)(t, plan.rates);
}

constexpr Row rows[] = {{&SgdStep::decl, &plan_sgd_step, kernel<&run_sgd_step>()},
                        {&AdamStep::decl, &plan_adam_step, kernel<&run_adam_step>()},
                        {&Unscale::decl, &plan_unscale, kernel<&run_unscale>()}};

std::span<const Row> optim_rows() { return rows; }

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
