// The CPU's kernel of equally spaced numbers, for each instruction set. All sets round as the formula is written.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/sequence.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "engine/core/built.h"
#include "engine/cpu/iterate.h"
#include "engine/ops/sequence.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#include "engine/ops/sequence-inl.h"

// Positions are counted in doubles, which represent each of them: not every processor converts vectors of integers.
template <class E> void fill_sequence(E* to, const SequencePlan& plan, int64_t begin, int64_t n) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<E, decltype(d)> elements;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto first = hn::Set(d, plan.first), step = hn::Set(d, plan.step), parts = hn::Set(d, plan.parts);
  const auto ahead = hn::Set(d, static_cast<double>(lanes));
  auto at = hn::Iota(d, static_cast<double>(begin));
  const auto next = [&] {
    const auto value = hn::Add(first, hn::Div(hn::Mul(step, at), parts));
    at = hn::Add(at, ahead);
    if constexpr (sizeof(E) < sizeof(double))
      return hn::DemoteTo(elements, value);
    else
      return value;
  };
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(next(), elements, to + i);
  if (i < n) {
    HWY_ALIGN E rest[hn::MaxLanes(d)];
    hn::Store(next(), elements, rest);
    for (int64_t k = 0; i + k < n; ++k) to[i + k] = rest[k];
  }
}

// The same for any dtype.
template <class E> void fill_run(E* to, const SequencePlan& plan, int64_t begin, int64_t n) {
  if constexpr (std::is_floating_point_v<E>) {
    if (!plan.powers) return fill_sequence(to, plan, begin, n);
  }
  double values[256];
  for (int64_t i = 0; i < n; i += std::ssize(values)) {
    const int64_t count = std::min<int64_t>(std::ssize(values), n - i);
    fill_sequence(values, plan, begin + i, count);
    for (int64_t k = 0; plan.powers && k < count; ++k) values[k] = std::pow(10.0, values[k]);
    for (int64_t k = 0; k < count; ++k) to[i + k] = element_from<E>(values[k]);
  }
}

void run_sequence(const SequencePlan& plan) {
  const int64_t n = plan.out.numel();
  dispatch(plan.out.dtype(), [&]<class E>(std::type_identity<E>) {
    E* to = plan.out.data<E>();
    parallel_for(n, pointwise_grain, [&](int64_t begin, int64_t end) { fill_run(to + begin, plan, begin, end - begin); });
    if (plan.has_last) to[n - 1] = element_from<E>(plan.powers ? std::pow(10.0, plan.last) : plan.last);
  });
}

constexpr Row rows[] = {{&Range::decl, &plan_range, kernel<&run_sequence>()},
                        {&Arange::decl, &plan_arange, kernel<&run_sequence>()},
                        {&Linspace::decl, &plan_linspace, kernel<&run_sequence>()},
                        {&Logspace::decl, &plan_logspace, kernel<&run_sequence>()}};

std::span<const Row> sequence_rows() { return built_rows<rows>(); }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
HWY_EXPORT(sequence_rows);
namespace cpu {
std::span<const Row> sequence_rows() { return HWY_DYNAMIC_DISPATCH(sequence_rows)(); }
}  // namespace cpu
}  // namespace mt
#endif
