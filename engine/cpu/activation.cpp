// Loops of the ops in engine/ops/activation-inl.h, for each CPU instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/activation.cpp"
#include <hwy/foreach_target.h>  // must come before what is compiled several times

#include <limits>
#include <span>
#include <type_traits>

#include "engine/core/half.h"
#include "engine/cpu/functions-inl.h"
#include "engine/ops/pointwise.h"

#include "engine/cpu/pointwise-inl.h"
#include "engine/cpu/rational-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

// exp(-a), a = |x| cut where exp is 0. Where it is so small that it lacks digits a product with it may have them all: it is multiplied by
// in two parts then.
template <class T> struct SmallExp {
  using V = Simd<T>;
  static constexpr double far = std::is_same_v<T, float> ? 87 : 708, end = 1000;
  V a, part;
  typename V::Mask is_far;

  bool some_far;

  // Of two arguments Min gives the second where one is NaN.
  MT_FN explicit SmallExp(V magnitude) : a(hn::Min(hn::Set(typename V::D(), static_cast<T>(end)), magnitude.v)), is_far(a > V(far)) {
    some_far = !hn::AllFalse(typename V::D(), is_far.m);
    part = exp(V(0) - (some_far ? select(is_far, a * V(0.5), a) : a));
  }
  MT_FN V value() const { return part; }  // of use beside 1 only, where it does not count any more when it is in parts
  MT_FN V times(V y) const {
    const V product = y * part;
    return some_far ? select(is_far, product * part, product) : product;
  }
};
template <class T> MT_FN SmallExp<T> small_exp(Simd<T> x) { return SmallExp<T>(abs(x)); }

// exp(z^2 / 2) erfc(z / sqrt(2)) / 2 for z up to 15, and for doubles up to 6; from there on times z, by 1 / z^2. Fitted by
// bench/rational.py.
constexpr float single_above[] = {0.499999999F,  0.703933013F,  0.484459149F,   0.206780418F,
                                  0.0587926311F, 0.0111859861F, 0.00133914022F, 8.17028749e-05F};
constexpr float single_below[] = {1.0F,        2.20575051F,   2.22885313F,    1.35501266F,    0.545951361F,
                                  0.15072799F, 0.0282439079F, 0.00335672674F, 0.000204798736F};
constexpr double twice_above[] = {0.5,
                                  0.7166339553075248,
                                  0.5130882087457012,
                                  0.23353387084733004,
                                  0.07352547359676455,
                                  0.01650341597365053,
                                  0.002635677247753932,
                                  0.00028913115887942565,
                                  1.9853113162163343e-05,
                                  6.555596981050427e-07};
constexpr double twice_below[] = {1.0,
                                  2.2311524714179143,
                                  2.3063785272329356,
                                  1.4576768444994963,
                                  0.6253202356915832,
                                  0.19080795585016375,
                                  0.04208939974825525,
                                  0.006656426882559802,
                                  0.0007263876031399067,
                                  4.97643743314563e-05,
                                  1.6432444799333906e-06};
constexpr double far_tail_above[] = {0.39894228040143265, 17.346773959360213, 240.50425613377988,
                                     1230.7023774719562,  1973.685913996329,  446.65972810276224};
constexpr double far_tail_below[] = {1.0, 44.48191408016475, 644.3366826744947, 3610.804317316256, 7187.319938072591, 3413.9589521736493};

MT_FN Simd<float> tail_ratio(Simd<float> z) { return polynomial(z, single_above) / polynomial(z, single_below); }
MT_FN Simd<double> tail_ratio(Simd<double> z) {
  using V = Simd<double>;
  const auto far = z > V(6);
  V result = ratio(z, twice_above, twice_below);
  if (any(far)) {
    const V inverse = V(1) / z;
    result = select(far, inverse * ratio(inverse * inverse, far_tail_above, far_tail_below), result);
  }
  return result;
}

// What z^2 lacks when it is rounded to `square`.
template <class T> MT_FN Simd<T> rest_of_square(Simd<T> z, Simd<T> square) {
#if HWY_TARGET == HWY_SSE4
  // No fused operations: the upper half of z's digits, whose square is exact, and the others.
  const hn::RebindToUnsigned<typename Simd<T>::D> bits;
  const auto upper_digits = hn::Set(bits, ~((hn::TFromD<decltype(bits)>{1} << (std::numeric_limits<T>::digits / 2)) - 1));
  const Simd<T> upper(hn::BitCast(typename Simd<T>::D(), hn::And(hn::BitCast(bits, z.v), upper_digits))), lower = z - upper;
  return ((upper * upper - square) + (upper * lower + upper * lower)) + lower * lower;
#else
  return Simd<T>(hn::MulSub(z.v, z.v, square.v));
#endif
}

// The normal distribution beyond z = |x|, cut where it is 0: exp(-z^2 / 2) times `ratio`. An error of z^2 would be one of exp many times
// as large.
template <class T> struct NormalTail {
  using V = Simd<T>;
  static constexpr double end = std::is_same_v<T, float> ? 15 : 40;
  V z, ratio, square;

  MT_FN explicit NormalTail(V magnitude)
      : z(hn::Min(hn::Set(typename V::D(), static_cast<T>(end)), magnitude.v)), ratio(tail_ratio(z)), square(z * z) {}
  MT_FN V times(V y) const { return SmallExp<T>(square * V(0.5)).times(y - y * (rest_of_square(z, square) * V(0.5))); }
};
template <class T> MT_FN NormalTail<T> normal_tail(Simd<T> x) { return NormalTail<T>(abs(x)); }

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
