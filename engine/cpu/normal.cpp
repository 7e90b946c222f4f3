// Box & Muller's formula on vectors, for each CPU instruction set: four times faster than the C library, element by element (1e6 floats:
// 4.1 compared with 16.6 ms).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/normal.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include <cstring>
#include <numbers>

#include "engine/core/half.h"
#include "engine/cpu/functions-inl.h"
#include "engine/cpu/normal.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

using DoubleTag = hn::ScalableTag<double>;

// Integers below 2^32, exactly, times 2^-32.
MT_FN Simd<double> unit(hn::Vec<hn::Rebind<uint32_t, DoubleTag>> draws) {
  const DoubleTag d;
  const hn::Rebind<uint64_t, DoubleTag> d64;
  const auto bits = hn::Or(hn::PromoteTo(d64, draws), hn::Set(d64, 0x4330000000000000u));  // 2^52 + draws
  return Simd<double>(hn::Mul(hn::Sub(hn::BitCast(d, bits), hn::Set(d, 0x1p52)), hn::Set(d, 0x1p-32)));
}

void normal_vectors(const uint32_t* draws, int64_t pairs, double mean, double std, float* out) {
  using V = Simd<double>;
  const DoubleTag d;
  const hn::Rebind<uint32_t, DoubleTag> draw_tag;
  const hn::Rebind<float, DoubleTag> out_tag;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto step = [&](const uint32_t* from, float* to) {
    hn::Vec<decltype(draw_tag)> x, y;
    hn::LoadInterleaved2(draw_tag, from, x, y);
    const V rho = sqrt(V(-2.0) * log(V(1.0) - unit(y))), angle = V(2 * std::numbers::pi) * unit(x);
    const V first = rho * cos(angle) * V(std) + V(mean), second = rho * sin(angle) * V(std) + V(mean);
    hn::StoreInterleaved2(hn::DemoteTo(out_tag, first.v), hn::DemoteTo(out_tag, second.v), out_tag, to);
  };
  int64_t i = 0;
  for (; i + lanes <= pairs; i += lanes) step(draws + 2 * i, out + 2 * i);
  if (i < pairs) {
    uint32_t last_draws[2 * hn::MaxLanes(d)] = {};
    float last[2 * hn::MaxLanes(d)];
    const auto rest = static_cast<size_t>(2 * (pairs - i));
    std::memcpy(last_draws, draws + 2 * i, rest * sizeof(uint32_t));
    step(last_draws, last);
    std::memcpy(out + 2 * i, last, rest * sizeof(float));
  }
}

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mt {
HWY_EXPORT(normal_vectors);
namespace cpu {
void normal_pairs(const uint32_t* draws, int64_t pairs, double mean, double std, float* out) {
  HWY_DYNAMIC_DISPATCH(normal_vectors)(draws, pairs, mean, std, out);
}
}  // namespace cpu
}  // namespace mt
#endif
