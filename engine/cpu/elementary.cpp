// Loops of the ops in engine/ops/elementary-inl.h, for each CPU instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/elementary.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include <numbers>
#include <span>
#include <type_traits>

#include "engine/core/half.h"
#include "engine/cpu/functions-inl.h"
#include "engine/ops/pointwise.h"

#include "engine/cpu/pointwise-inl.h"

#include "engine/cpu/complex_functions-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

// SLEEF's sinh and cosh are infinite once exp(x) is, and its log1p a little before the largest number. Beyond `far`, sinh(x) is 2 sinh(x /
// 2)^2 to the last bit, likewise cosh, and log1p(x) is log(x / 1024) + log(1024).
template <class T> constexpr double far = std::is_same_v<T, float> ? 80 : 700;
template <class T> MT_FN Simd<T> wide_sinh(Simd<T> x) {
  const auto is_far = abs(x) > Simd<T>(far<T>);
  const Simd<T> y = sinh(select(is_far, x * Simd<T>(0.5), x));
  return select(is_far, copysign(Simd<T>(2) * y * y, x), y);
}
template <class T> MT_FN Simd<T> wide_cosh(Simd<T> x) {
  const auto is_far = abs(x) > Simd<T>(far<T>);
  const Simd<T> y = cosh(select(is_far, x * Simd<T>(0.5), x));
  return select(is_far, Simd<T>(2) * y * y, y);
}
template <class T> MT_FN Simd<T> wide_log1p(Simd<T> x) {
  const auto is_far = x > Simd<T>(1e30);
  const Simd<T> y = log1p(select(is_far, x * Simd<T>(1.0 / 1024), x));
  return select(is_far, y + Simd<T>(10 * std::numbers::ln2), y);
}

#include "engine/ops/elementary-inl.h"

std::span<const Row> elementary_rows() { return rows_of(ElementaryOps()); }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
HWY_EXPORT(elementary_rows);
namespace cpu {
std::span<const Row> elementary_rows() { return HWY_DYNAMIC_DISPATCH(elementary_rows)(); }
}  // namespace cpu
}  // namespace mt
#endif
