// What follows a convolution, element by element: to = relu(from + added), up to a largest value. Included once for each CPU instruction
// set, after Highway; no include guard.

#include "engine/ops/rectifier.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

// min(max(v, 0), most), of vectors and of numbers. NaN stays NaN.
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>> HWY_INLINE V rectified(D d, V v, V most) {
  namespace hn = hwy::HWY_NAMESPACE;
  const auto zero = hn::Zero(d);
  return hn::IfThenElse(hn::Lt(v, zero), zero, hn::IfThenElse(hn::Gt(v, most), most, v));
}
template <class T> T rectified(T v, T most) { return v < 0 ? T(0) : v > most ? most : v; }

template <bool adds, bool is_relu, class T> void finish_as(const T* from, int64_t n, const T* added, T most, T* to) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto limit = hn::Set(d, most);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    auto sum = hn::LoadU(d, from + i);
    if constexpr (adds) sum = hn::Add(sum, hn::LoadU(d, added + i));
    if constexpr (is_relu) sum = rectified(d, sum, limit);
    hn::StoreU(sum, d, to + i);
  }
  for (; i < n; ++i) {
    const T sum = adds ? from[i] + added[i] : from[i];
    to[i] = is_relu ? rectified(sum, most) : sum;
  }
}

// `added` may be null; `from` may be `to`.
template <class T> void finish_convolution(const T* from, int64_t n, const T* added, Rectifier relu, T* to) {
  const T most = static_cast<T>(relu.most);
  if (added != nullptr) return (relu.is_on ? finish_as<true, true, T> : finish_as<true, false, T>)(from, n, added, most, to);
  (relu.is_on ? finish_as<false, true, T> : finish_as<false, false, T>)(from, n, added, most, to);
}

}  // namespace
}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
