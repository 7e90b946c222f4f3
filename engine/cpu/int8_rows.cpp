// The same operations in the same order for vectors and single elements: each float operation is rounded once (CMakeLists.txt forbids this
// file fused ones), so that every instruction set has the same bits.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/int8_rows.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "engine/cpu/int8_rows.h"
#include "engine/ops/int8.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#include "engine/cpu/int8_store-inl.h"

template <class T> void quantize(const float* x, int64_t n, cpu::Int8Scale scale, T* to) {
  const Floats d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto by = hn::Set(d, scale.scale);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) store_integers<T>(hn::Div(hn::LoadU(d, x + i), by), scale.zero, to + i);
  if (i == n) return;
  HWY_ALIGN float rest[hn::MaxLanes(d)] = {};
  T values[hn::MaxLanes(d)];
  std::copy_n(x + i, n - i, rest);
  store_integers<T>(hn::Div(hn::Load(d, rest), by), scale.zero, values);
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
  // Several comparisons at a time: each waits for the one before it.
  constexpr int64_t chains = 4;
  hn::Vec<Floats> low[chains], high[chains];
  for (int64_t k = 0; k < chains; ++k) low[k] = high[k] = hn::Zero(d);
  const auto look = [&](hn::Vec<Floats> v, int64_t k) HWY_ATTR {
    low[k] = hn::IfThenElse(hn::Lt(v, low[k]), v, low[k]);
    high[k] = hn::IfThenElse(hn::Gt(v, high[k]), v, high[k]);
  };
  int64_t i = 0;
  for (; i + chains * lanes <= n; i += chains * lanes) {
#pragma GCC unroll 4
    for (int64_t k = 0; k < chains; ++k) look(hn::LoadU(d, x + i + k * lanes), k);
  }
  for (; i < n; i += lanes) {
    HWY_ALIGN float rest[hn::MaxLanes(d)] = {};
    std::copy_n(x + i, std::min(lanes, n - i), rest);
    look(hn::Load(d, rest), 0);
  }
  for (int64_t k = 1; k < chains; ++k) {
    low[0] = hn::Min(low[0], low[k]);
    high[0] = hn::Max(high[0], high[k]);
  }
  const float least = hn::GetLane(hn::MinOfLanes(d, low[0])), most = hn::GetLane(hn::MaxOfLanes(d, high[0]));
  const float scale = most / 255 - least / 255;
  if (!(scale > 0)) return {1, 0};
  return {scale, static_cast<int32_t>(std::min(255.0F, std::max(0.0F, std::nearbyint(-least / scale))))};
}

// The results of a vector of columns, which begins at column c, for all rows.
template <class T> void store_columns(const cpu::Int8Sums& s, int64_t c, int64_t step, std::byte* to) {
  const Floats d;
  const Integers di;
  const auto* const weight_sums = reinterpret_cast<const int32_t*>(s.weight_sums + c / int8_panel * s.panel_step);
  const auto of_weights = hn::LoadU(di, weight_sums + c % int8_panel);
  const bool has_zeros = s.weight_zero != nullptr;
  const auto weight_zero = has_zeros ? hn::LoadU(di, s.weight_zero + c) : hn::Zero(di);
  const auto multiplier = s.multiplier != nullptr ? hn::LoadU(d, s.multiplier + c) : hn::Zero(d);
  const auto bias = s.bias != nullptr ? hn::LoadU(d, s.bias + c) : hn::Zero(d);
  const int32_t out_zero = s.out_zero;
  // Copies, since stores of bytes could change anything behind a reference.
  const bool differs = s.scales_differ, has_bias = s.bias != nullptr;
  const int64_t rows = s.rows, products_step = s.products_step;
  const int32_t *products = s.products + c, *const centred_sums = s.centred_sums;
  const cpu::Int8Scale* const scales = s.scales;
  auto offset = hn::Mul(hn::Set(di, s.scales[0].zero), of_weights);
  [[maybe_unused]] auto factor = hn::Mul(hn::Set(d, s.scales[0].scale), multiplier);
  for (int64_t r = 0; r < rows; ++r, to += step, products += products_step) {
    if (differs) {
      offset = hn::Mul(hn::Set(di, scales[r].zero), of_weights);
      factor = hn::Mul(hn::Set(d, scales[r].scale), multiplier);
    }
    auto sum = hn::Sub(hn::LoadU(di, products), offset);
    if (has_zeros) sum = hn::Sub(sum, hn::Mul(hn::Set(di, centred_sums[r]), weight_zero));
    if constexpr (std::is_same_v<T, int32_t>) {
      hn::StoreU(sum, di, reinterpret_cast<T*>(to));
    } else {
      auto v = hn::Mul(hn::ConvertTo(d, sum), factor);
      if (has_bias) v = hn::Add(v, bias);
      store_floats(v, out_zero, reinterpret_cast<T*>(to));
    }
  }
}

template <class T> void requantize_to(const cpu::Int8Sums& s, std::byte* to) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(Floats()));
  int64_t c = 0;
  for (; c + lanes <= s.columns; c += lanes) store_columns<T>(s, c, s.out_step, to + c * static_cast<int64_t>(sizeof(T)));
  if (c == s.columns) return;
  std::vector<T> rest(static_cast<size_t>(s.rows * lanes));
  store_columns<T>(s, c, lanes * static_cast<int64_t>(sizeof(T)), reinterpret_cast<std::byte*>(rest.data()));
  for (int64_t r = 0; r < s.rows; ++r)
    std::memcpy(to + r * s.out_step + c * static_cast<int64_t>(sizeof(T)), rest.data() + r * lanes,
                static_cast<size_t>(s.columns - c) * sizeof(T));
}

// A few rows at a time, since their results are often a multiple of 4096 bytes apart, where a cache has room for few lines.
template <class T> void requantize_rows(const cpu::Int8Sums& s, std::byte* to) {
  constexpr int64_t few = 8;
  cpu::Int8Sums part = s;
  for (int64_t r = 0; r < s.rows; r += few) {
    part.rows = std::min(few, s.rows - r);
    part.products = s.products + r * s.products_step;
    part.scales = s.scales + r;
    if (s.weight_zero != nullptr) part.centred_sums = s.centred_sums + r;
    requantize_to<T>(part, to + r * s.out_step);
  }
}

void requantize(const cpu::Int8Sums& s, std::byte* to) {
  switch (s.dtype) {
    case DType::int32:
      return requantize_rows<int32_t>(s, to);
    case DType::float32:
      return requantize_rows<float>(s, to);
    case DType::uint8:
      return requantize_rows<uint8_t>(s, to);
    default:
      return requantize_rows<int8_t>(s, to);
  }
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

void int8_requantize(const Int8Sums& sums, std::byte* to) { HWY_DYNAMIC_DISPATCH(requantize)(sums, to); }

}  // namespace cpu
}  // namespace mt
#endif
