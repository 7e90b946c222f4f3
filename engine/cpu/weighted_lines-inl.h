// Weighted sums of neighbouring lines with the weights of a resampled axis, in vectors along the lines. Included once for each CPU
// instruction set, after Highway; no include guard.
#include <algorithm>
#include <cstring>

#include "engine/cpu/resample_weights.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using cpu::AxisWeights;

// Lines of n elements, `step` elements apart.
template <class T> struct Lines {
  T* first;
  int64_t step;
  T* operator[](int64_t i) const { return first + i * step; }
};

// Computes `vectors` vectors from element j on.
template <int vectors, class D, class T>
HWY_INLINE void add_up(D d, const Lines<const T>& from, const T* weights, int64_t count, T* to, int64_t j) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<D> sums[vectors];
  for (int v = 0; v < vectors; ++v) sums[v] = hn::Zero(d);
  for (int64_t k = 0; k < count; ++k) {
    const T* const line = from[k] + j;
    const auto weight = hn::Set(d, weights[k]);
    for (int v = 0; v < vectors; ++v) sums[v] = hn::MulAdd(weight, hn::LoadU(d, line + v * lanes), sums[v]);
  }
  for (int v = 0; v < vectors; ++v) hn::StoreU(sums[v], d, to + j + v * lanes);
}

// to = the sum of `count` lines times their weights.
template <class T> void combine(const Lines<const T>& from, const AxisWeights<T>& axis, int64_t i, T* to, int64_t n) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const T* const weights = axis.weights(i);
  const int64_t count = axis.count(i);
  int64_t j = 0;
  for (; j + 4 * lanes <= n; j += 4 * lanes) add_up<4>(d, from, weights, count, to, j);
  for (; j + lanes <= n; j += lanes) add_up<1>(d, from, weights, count, to, j);
  if (j == n) return;
  if (n >= lanes) return add_up<1>(d, from, weights, count, to, n - lanes);
  for (; j < n; ++j) add_up<1>(hn::CappedTag<T, 1>(), from, weights, count, to, j);
}

// Computes a vector of bytes from element j on. Even and odd bytes are separated, then pairs of lines zipped, multiplied and added.
HWY_INLINE void add_up_bytes(const Lines<const uint8_t>& from, const AxisWeights<uint8_t>& axis, const int16_t* weights, int64_t count,
                             uint8_t* to, int64_t j) {
  const hn::ScalableTag<int16_t> d16;
  const hn::RepartitionToWide<decltype(d16)> d32;
  const hn::RebindToUnsigned<decltype(d16)> u16;
  const hn::Repartition<uint8_t, decltype(d16)> d8;
  const auto low_byte = hn::Set(u16, 255);
  hn::Vec<decltype(d32)> sums[4], rest[4];  // of even elements, then of odd ones; processors differ in which of the two sums they use
  for (int v = 0; v < 4; ++v) sums[v] = hn::Set(d32, 1 << (axis.shift() - 1)), rest[v] = hn::Zero(d32);
  for (int64_t k = 0; k < count; k += 2) {
    const auto a = hn::BitCast(u16, hn::LoadU(d8, from[k] + j));
    const auto b = hn::BitCast(u16, hn::LoadU(d8, from[k + 1 < count ? k + 1 : k] + j));  // the weight beyond the last one is 0
    int32_t pair;
    std::memcpy(&pair, weights + k, sizeof pair);
    const auto weight = hn::BitCast(d16, hn::Set(d32, pair));
    const auto add = [&](auto x, auto y, int v) HWY_ATTR {
      const auto low = hn::BitCast(d16, hn::InterleaveLower(u16, x, y)), high = hn::BitCast(d16, hn::InterleaveUpper(u16, x, y));
      sums[v] = hn::ReorderWidenMulAccumulate(d32, low, weight, sums[v], rest[v]);
      sums[v + 1] = hn::ReorderWidenMulAccumulate(d32, high, weight, sums[v + 1], rest[v + 1]);
    };
    add(hn::And(a, low_byte), hn::And(b, low_byte), 0);
    add(hn::ShiftRight<8>(a), hn::ShiftRight<8>(b), 2);
  }
  const auto rounded = [&](int v) HWY_ATTR { return hn::ShiftRightSame(hn::RearrangeToOddPlusEven(sums[v], rest[v]), axis.shift()); };
  const auto clipped = [&](int v) HWY_ATTR {
    const auto both = hn::ReorderDemote2To(d16, rounded(v), rounded(v + 1));
    return hn::BitCast(u16, hn::Min(hn::Max(both, hn::Zero(d16)), hn::Set(d16, 255)));
  };
  hn::StoreU(hn::BitCast(d8, hn::Or(clipped(0), hn::ShiftLeft<8>(clipped(2)))), d8, to + j);
}

HWY_INLINE uint8_t byte_sum(const Lines<const uint8_t>& from, const AxisWeights<uint8_t>& axis, const int16_t* weights, int64_t count,
                            int64_t j) {
  int32_t sum = 1 << (axis.shift() - 1);
  for (int64_t k = 0; k < count; ++k) sum += from[k][j] * weights[k];
  return static_cast<uint8_t>(std::clamp(sum >> axis.shift(), 0, 255));
}

void combine(const Lines<const uint8_t>& from, const AxisWeights<uint8_t>& axis, int64_t i, uint8_t* to, int64_t n) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<uint8_t>()));
  const int16_t* const weights = axis.weights(i);
  const int64_t count = axis.count(i);
  int64_t j = 0;
  for (; j + lanes <= n; j += lanes) add_up_bytes(from, axis, weights, count, to, j);
  if (j == n) return;
  if (n >= lanes) return add_up_bytes(from, axis, weights, count, to, n - lanes);
  for (; j < n; ++j) to[j] = byte_sum(from, axis, weights, count, j);
}

}  // namespace
}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
