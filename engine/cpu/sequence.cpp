// Loops of the ops in engine/ops/sequence-inl.h, for each CPU instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/sequence.cpp"
#include <hwy/foreach_target.h>  // must come before what is compiled several times
#include <hwy/highway.h>

#include <span>

#include "engine/ops/sequence.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#include "engine/ops/sequence-inl.h"

// Positions are counted in doubles, which hold each of them: not every processor converts vectors of integers.
template <class E> void fill_sequence(E* to, const Sequence& sequence, int64_t begin, int64_t n) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<E, decltype(d)> elements;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto first = hn::Set(d, sequence.first), step = hn::Set(d, sequence.step), parts = hn::Set(d, sequence.parts);
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

constexpr SequenceLoops loops{&fill_sequence<double>, &fill_sequence<float>};
constexpr Row rows[] = {{&Range::decl, &run_range, &loops},
                        {&Arange::decl, &run_arange, &loops},
                        {&Linspace::decl, &run_linspace, &loops},
                        {&Logspace::decl, &run_logspace, &loops}};

std::span<const Row> sequence_rows() { return rows; }

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
