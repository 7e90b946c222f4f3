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

template <class C> void run_sgd(const SgdTensors& t, int64_t begin, int64_t end, const SgdRates& rates) {
  C* buffer = t.buffer.data<C>();
  sgd_loop(t.x.data<C>() + begin, t.gradient.data<C>() + begin, buffer == nullptr ? nullptr : buffer + begin, end - begin, rates);
}

template <class C> void run_adam(const AdamTensors& t, int64_t begin, int64_t end, const AdamRates& rates) {
  adam_loop(t.x.data<C>() + begin, t.gradient.data<C>() + begin, t.mean.data<C>() + begin, t.square.data<C>() + begin, end - begin, rates);
}

// Requests the first cache lines of a tensor: the processor's own prefetcher does not cross from one small tensor to the next.
inline void fetch(const Tensor& t) {
  const auto* data = reinterpret_cast<const char*>(t.bytes());
  const int64_t bytes = std::min<int64_t>(t.numel() * size_of(t.dtype()), 1024);
  for (int64_t at = 0; at < bytes; at += 64) hwy::Prefetch(data + at);
}

// Calls run(tensors, begin, end) for parts of all parameters, in threads: elements are counted through the list, so that many small tensors
// are divided like one large one.
template <class List, class Run> void each_part(const List& parameters, Run run) {
  std::vector<int64_t> starts;
  starts.reserve(parameters.size() + 1);
  int64_t total = 0;
  for (const auto& t : parameters) {
    starts.push_back(total);
    total += t.x.numel();
  }
  starts.push_back(total);
  parallel_for(total, step_grain, [&](int64_t begin, int64_t end) {
    auto i = static_cast<size_t>(std::upper_bound(starts.begin(), starts.end(), begin) - starts.begin()) - 1;
    for (; begin < end; ++i) {
      const int64_t last = std::min(end, starts[i + 1]);
      if (last < end) {
        const auto& next = parameters.begin()[i + 1];
        fetch(next.x);
        fetch(next.gradient);
      }
      run(parameters.begin()[i], begin - starts[i], last - starts[i]);
      begin = last;
    }
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
  each_part(plan.parameters, [&](const SgdTensors& t, int64_t begin, int64_t end) {
    (t.x.dtype() == DType::float32 ? run_sgd<float> : run_sgd<double>)(t, begin, end, plan.rates);
  });
}
void run_adam_step(const AdamPlan& plan) {
  each_part(plan.parameters, [&](const AdamTensors& t, int64_t begin, int64_t end) {
    (t.x.dtype() == DType::float32 ? run_adam<float> : run_adam<double>)(t, begin, end, plan.rates);
  });
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
