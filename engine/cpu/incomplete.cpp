// Loops of the ops in engine/ops/incomplete-inl.h, for each CPU instruction set: lane by lane, in long double.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/incomplete.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include <span>
#include <type_traits>
#include <utility>

#include "engine/core/half.h"
#include "engine/cpu/functions-inl.h"
#include "engine/ops/incomplete_beta.h"
#include "engine/ops/incomplete_gamma.h"
#include "engine/ops/pointwise.h"

#include "engine/cpu/pointwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

template <class F, class... V> MT_FN auto element(const F&, V... operands) {
  using Vector = std::common_type_t<V...>;
  using T = typename Vector::Element;
  const typename Vector::D d;
  constexpr size_t most = HWY_MAX_BYTES / sizeof(T);
  HWY_ALIGN T lanes[sizeof...(V)][most];
  T* from = lanes[0];
  ((hn::Store(operands.v, d, from), from += most), ...);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    lanes[0][i] = [&]<size_t... I>(std::index_sequence<I...>) { return static_cast<T>(F::of(static_cast<long double>(lanes[I][i])...)); }
    (std::index_sequence_for<V...>());
  }
  return Vector(hn::Load(d, lanes[0]));
}

#include "engine/ops/incomplete-inl.h"

std::span<const Row> incomplete_rows() { return rows_of(IncompleteOps()); }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
HWY_EXPORT(incomplete_rows);
namespace cpu {
std::span<const Row> incomplete_rows() { return HWY_DYNAMIC_DISPATCH(incomplete_rows)(); }
}  // namespace cpu
}  // namespace mt
#endif
