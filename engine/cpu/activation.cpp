// Loops of the ops in engine/ops/activation-inl.h, for each CPU instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/activation.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include <limits>
#include <span>
#include <type_traits>

#include "engine/core/half.h"
#include "engine/cpu/functions-inl.h"
#include "engine/ops/pointwise.h"

#include "engine/cpu/pointwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

// The rounding error of z^2, rounded to `square`.
template <class T> MT_FN Simd<T> rest_of_square(Simd<T> z, Simd<T> square) {
#if !HWY_NATIVE_FMA
  // Without fused operations: the square of the upper half of z's digits is exact, and the others follow.
  const hn::RebindToUnsigned<typename Simd<T>::D> bits;
  const auto upper_digits = hn::Set(bits, ~((hn::TFromD<decltype(bits)>{1} << (std::numeric_limits<T>::digits / 2)) - 1));
  const Simd<T> upper(hn::BitCast(typename Simd<T>::D(), hn::And(hn::BitCast(bits, z.v), upper_digits))), lower = z - upper;
  return ((upper * upper - square) + (upper * lower + upper * lower)) + lower * lower;
#else
  return Simd<T>(hn::MulSub(z.v, z.v, square.v));
#endif
}

// z^2 + c, rounded once, or nearly so without fused operations, where c is close to -z^2.
MT_FN Simd<float> square_plus(Simd<float> z, Simd<float> c) {
#if !HWY_NATIVE_FMA
  const Simd<float> square = z * z;
  return (square + c) + rest_of_square(z, square);
#else
  return mul_add(z, z, c);
#endif
}

#include "engine/ops/tails-inl.h"

#include "engine/ops/activation-inl.h"

std::span<const Row> activation_rows() { return rows_of(ActivationOps()); }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
HWY_EXPORT(activation_rows);
namespace cpu {
std::span<const Row> activation_rows() { return HWY_DYNAMIC_DISPATCH(activation_rows)(); }
}  // namespace cpu
}  // namespace mt
#endif
