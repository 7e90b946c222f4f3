// Each operation of floats is rounded once (CMakeLists.txt forbids this file fused ones), maxima have no rounding, and the probabilities
// are added as integers, so that every instruction set has the same bits.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/int8_softmax.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times
#include <hwy/highway.h>

#include <algorithm>
#include <limits>
#include <type_traits>

#include "engine/cpu/int8_softmax.h"
#include "engine/ops/int8.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#include "engine/cpu/int8_store-inl.h"

// The larger one; the second one if v is NaN. x86's instructions return their second operand for NaN; others return NaN.
HWY_INLINE hn::Vec<Floats> larger(hn::Vec<Floats> v, hn::Vec<Floats> other) {
#if HWY_ARCH_X86
  return hn::Max(v, other);
#else
  return hn::IfThenElse(hn::Gt(v, other), v, other);
#endif
}

// round(255 * 2^x) for x from -infinity to 0; 0 for NaN. 2^x = 2^n 2^r with |r| <= 1/2, and 255 * 2^r is a polynomial with the least
// relative error among those of degree 5 that have 255 for r = 0: 1e-7, and 1e-7 by rounding.
HWY_INLINE hn::Vec<Integers> probability(hn::Vec<Floats> x) {
  const Floats d;
  const Integers di;
  constexpr float least = -16.0F, shift = 12582912.0F;  // 255 * 2^-16 is rounded to 0
  const auto set = [d](float v) HWY_ATTR { return hn::Set(d, v); };
  x = larger(x, set(least));
  const auto shifted = hn::Add(x, set(shift));
  const auto r = hn::Sub(x, hn::Sub(shifted, set(shift)));
  auto p = set(0.3382505546F);
  for (const float c : {2.466235725F, 14.15437104F, 61.25671732F, 176.7524793F, static_cast<float>(cpu::int8_certain)})
    p = hn::Add(hn::Mul(p, r), set(c));
  // The lowest bits of `shifted` are n, which is added to the exponent.
  const auto e = hn::BitCast(d, hn::Add(hn::BitCast(di, p), hn::ShiftLeft<23>(hn::BitCast(di, shifted))));
  return hn::Sub(hn::BitCast(di, hn::Add(e, set(shift))), hn::BitCast(di, set(shift)));
}

// Replaces products by scores, and returns the largest one.
template <bool is_dynamic, bool has_mask> float scores_of(const cpu::Int8Scores& s) {
  const Floats d;
  const Integers di;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto zero = hn::Set(di, s.query.zero);
  const auto scale = hn::Set(d, s.query.scale), nothing = hn::Set(d, -std::numeric_limits<float>::infinity());
  auto top = nothing;
  const auto score = [&](int64_t c) HWY_ATTR {
    auto offset = hn::LoadU(di, s.offsets + c);
    auto factor = scale;
    if constexpr (is_dynamic) {
      offset = hn::Mul(zero, offset);
      factor = hn::Mul(scale, hn::LoadU(d, s.of_keys + c));
    }
    auto v = hn::Mul(hn::ConvertTo(d, hn::Sub(hn::LoadU(di, s.products + c), offset)), factor);
    if constexpr (has_mask) v = hn::Add(v, hn::LoadU(d, s.added + c));
    return v;
  };
  int64_t c = 0;
  for (; c + lanes <= s.keys; c += lanes) {
    const auto v = score(c);
    top = larger(v, top);
    hn::StoreU(v, d, reinterpret_cast<float*>(s.products + c));
  }
  if (c < s.keys) {
    const auto v = hn::IfThenElse(hn::FirstN(d, static_cast<size_t>(s.keys - c)), score(c), nothing);
    top = larger(v, top);
    hn::StoreU(v, d, reinterpret_cast<float*>(s.products + c));
  }
  return hn::GetLane(hn::MaxOfLanes(d, top));
}

int32_t softmax(const cpu::Int8Scores& s, uint8_t* to) {
  const Floats d;
  const Integers di;
  const hn::Rebind<uint8_t, Floats> narrow;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  float most = s.of_keys != nullptr ? s.added != nullptr ? scores_of<true, true>(s) : scores_of<true, false>(s)
               : s.added != nullptr ? scores_of<false, true>(s)
                                    : scores_of<false, false>(s);
  if (!(most > -std::numeric_limits<float>::infinity())) most = 0;  // no keys: all probabilities are 0
  const auto top = hn::Set(d, most);
  auto total = hn::Zero(di);
  int64_t c = 0;
  for (; c < s.keys; c += lanes) {
    const auto p = probability(hn::Sub(hn::LoadU(d, reinterpret_cast<const float*>(s.products + c)), top));
    total = hn::Add(total, p);
    hn::StoreU(hn::DemoteTo(narrow, p), narrow, to + c);
  }
  std::fill(to + c, to + std::max(c, s.room), uint8_t{0});
  return hn::GetLane(hn::SumOfLanes(di, total));
}

}  // namespace
}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mt {

HWY_EXPORT(softmax);

namespace cpu {

int32_t int8_softmax(const Int8Scores& scores, uint8_t* to) { return HWY_DYNAMIC_DISPATCH(softmax)(scores, to); }

}  // namespace cpu
}  // namespace mt
#endif
