// What follows a convolution, element by element: to = relu(from + added). Included once for each CPU instruction set, after Highway; no
// include guard.

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

template <bool adds, bool is_relu, class T> void finish_as(const T* from, int64_t n, const T* added, T* to) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto zero = hn::Zero(d);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    auto sum = hn::LoadU(d, from + i);
    if constexpr (adds) sum = hn::Add(sum, hn::LoadU(d, added + i));
    if constexpr (is_relu) sum = hn::IfThenElse(hn::Lt(sum, zero), zero, sum);
    hn::StoreU(sum, d, to + i);
  }
  for (; i < n; ++i) {
    const T sum = adds ? from[i] + added[i] : from[i];
    to[i] = is_relu && sum < 0 ? T(0) : sum;
  }
}

// `added` may be null; `from` may be `to`.
template <class T> void finish_convolution(const T* from, int64_t n, const T* added, bool relu, T* to) {
  if (added != nullptr) return (relu ? finish_as<true, true, T> : finish_as<true, false, T>)(from, n, added, to);
  (relu ? finish_as<false, true, T> : finish_as<false, false, T>)(from, n, added, to);
}

}  // namespace
}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
