// The same operations in the same order for vectors and single elements: each float operation is rounded once (CMakeLists.txt forbids this
// file fused ones), so that every instruction set has the same bits.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/int8_rows.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/cpu/int8_rows.h"
#include "engine/ops/int8.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::CappedTag<float, int8_panel>;  // a panel has a whole number of vectors
using Integers = hn::Rebind<int32_t, Floats>;

// The nearest integer within bounds; NaN becomes the least one.
template <class V> HWY_INLINE V bounded(V v, V least, V most) {
  v = hn::IfThenElse(hn::Ge(v, least), v, least);
  return hn::IfThenElse(hn::Le(v, most), v, most);
}

template <class T> HWY_INLINE hn::Vec<Floats> least_of() { return hn::Set(Floats(), static_cast<float>(std::numeric_limits<T>::min())); }
template <class T> HWY_INLINE hn::Vec<Floats> most_of() { return hn::Set(Floats(), static_cast<float>(std::numeric_limits<T>::max())); }

template <class T> HWY_INLINE void store_integers(hn::Vec<Floats> v, T* to) {
  const hn::Rebind<T, Floats> narrow;
  hn::StoreU(hn::DemoteTo(narrow, hn::ConvertTo(Integers(), bounded(v, least_of<T>(), most_of<T>()))), narrow, to);
}

template <class T> void quantize(const float* x, int64_t n, cpu::Int8Scale scale, T* to) {
  const Floats d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto by = hn::Set(d, scale.scale), zero = hn::Set(d, static_cast<float>(scale.zero));
  const auto quantized = [&](hn::Vec<Floats> v) HWY_ATTR { return hn::Add(hn::Round(hn::Div(v, by)), zero); };
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) store_integers<T>(quantized(hn::LoadU(d, x + i)), to + i);
  if (i == n) return;
  HWY_ALIGN float rest[hn::MaxLanes(d)] = {};
  T values[hn::MaxLanes(d)];
  std::copy_n(x + i, n - i, rest);
  store_integers<T>(quantized(hn::Load(d, rest)), values);
  std::copy_n(values, n - i, to + i);
}

void quantize_floats(const float* x, int64_t n, cpu::Int8Scale scale, DType dtype, void* to) {
  if (dtype == DType::uint8)
    quantize(x, n, scale, static_cast<uint8_t*>(to));
  else
    quantize(x, n, scale, static_cast<int8_t*>(to));
}

cpu::Int8Scale range_of(const float* x, int64_t n) {
  const Floats d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto low = hn::Zero(d), high = hn::Zero(d);
  const auto look = [&](hn::Vec<Floats> v) HWY_ATTR {
    low = hn::IfThenElse(hn::Lt(v, low), v, low);
    high = hn::IfThenElse(hn::Gt(v, high), v, high);
  };
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) look(hn::LoadU(d, x + i));
  if (i < n) {
    HWY_ALIGN float rest[hn::MaxLanes(d)] = {};
    std::copy_n(x + i, n - i, rest);
    look(hn::Load(d, rest));
  }
  const float least = hn::GetLane(hn::MinOfLanes(d, low)), most = hn::GetLane(hn::MaxOfLanes(d, high));
  const float scale = most / 255 - least / 255;
  if (!(scale > 0)) return {1, 0};
  return {scale, static_cast<int32_t>(std::min(255.0F, std::max(0.0F, std::nearbyint(-least / scale))))};
}

void store_panel(const cpu::Int8Sums& s, int64_t first, void* to) {
  const Floats d;
  const Integers di;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto zero = hn::Set(di, s.zero), centred = hn::Set(di, s.centred_sum);
  const auto scale = hn::Set(d, s.scale), out_zero = hn::Set(d, static_cast<float>(s.out_zero));
  const auto* const weight_sums = reinterpret_cast<const int32_t*>(s.weight_sums + first / int8_panel * s.panel_step);
  for (int64_t i = 0; i < int8_panel; i += lanes) {
    const int64_t c = first + i;
    auto sum = hn::Sub(hn::LoadU(di, s.products + c), hn::Mul(zero, hn::LoadU(di, weight_sums + i)));
    if (s.weight_zero != nullptr) sum = hn::Sub(sum, hn::Mul(centred, hn::LoadU(di, s.weight_zero + c)));
    if (s.dtype == DType::int32) {
      hn::StoreU(sum, di, static_cast<int32_t*>(to) + i);
      continue;
    }
    auto v = hn::Mul(hn::ConvertTo(d, sum), hn::Mul(scale, hn::LoadU(d, s.multiplier + c)));
    if (s.bias != nullptr) v = hn::Add(v, hn::LoadU(d, s.bias + c));
    if (s.dtype == DType::float32)
      hn::StoreU(v, d, static_cast<float*>(to) + i);
    else if (s.dtype == DType::uint8)
      store_integers(hn::Add(hn::Round(v), out_zero), static_cast<uint8_t*>(to) + i);
    else
      store_integers(hn::Add(hn::Round(v), out_zero), static_cast<int8_t*>(to) + i);
  }
}

void requantize(const cpu::Int8Sums& s, void* to) {
  auto* at = static_cast<std::byte*>(to);
  const int64_t bytes = size_of(s.dtype);
  int64_t c = 0;
  for (; c + int8_panel <= s.columns; c += int8_panel) store_panel(s, c, at + c * bytes);
  if (c == s.columns) return;
  HWY_ALIGN std::byte rest[int8_panel * sizeof(int32_t)];
  store_panel(s, c, rest);
  std::copy_n(rest, (s.columns - c) * bytes, at + c * bytes);
}

}  // namespace
}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mt {

HWY_EXPORT(quantize_floats);
HWY_EXPORT(range_of);
HWY_EXPORT(requantize);

namespace cpu {

Int8Scale int8_range(const float* x, int64_t n) { return HWY_DYNAMIC_DISPATCH(range_of)(x, n); }

void int8_quantize(const float* x, int64_t n, Int8Scale scale, DType dtype, void* to) {
  HWY_DYNAMIC_DISPATCH(quantize_floats)(x, n, scale, dtype, to);
}

void int8_requantize(const Int8Sums& sums, void* to) { HWY_DYNAMIC_DISPATCH(requantize)(sums, to); }

}  // namespace cpu
}  // namespace mt
#endif
