// Each operation of floats is rounded once (CMakeLists.txt forbids this file fused ones), so that every instruction set has the same bits.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/int8_matrix.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <type_traits>

#include "engine/cpu/int8_matrix.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#include "engine/cpu/int8_store-inl.h"

using Words = hn::Rebind<uint32_t, Floats>;
constexpr uint32_t all_signs = 0x80808080U;

// Writes a block: 4 rows of 16 adjacent elements become 16 columns of 4.
HWY_INLINE void interleave(const uint8_t* const (&rows)[int8_depth], uint32_t flip, uint8_t* to) {
  const Words d;
  const hn::Rebind<uint8_t, Words> narrow;
  for (int64_t c = 0; c < int8_panel; c += static_cast<int64_t>(hn::Lanes(d))) {
    const auto element = [&](int k) HWY_ATTR { return hn::PromoteTo(d, hn::LoadU(narrow, rows[k] + c)); };
    const auto low = hn::Or(element(0), hn::ShiftLeft<8>(element(1)));
    const auto high = hn::Or(hn::ShiftLeft<16>(element(2)), hn::ShiftLeft<24>(element(3)));
    hn::StoreU(hn::Xor(hn::Or(low, high), hn::Set(d, flip)), d, reinterpret_cast<uint32_t*>(to + c * int8_depth));
  }
}

// Writes the sums of the columns behind the blocks of a panel.
void sum_columns(int8_t* panel, int64_t blocks) {
  const Integers d;
  for (int64_t c = 0; c < int8_panel; c += static_cast<int64_t>(hn::Lanes(d))) {
    auto sum = hn::Zero(d);
    for (int64_t b = 0; b < blocks; ++b) {
      const auto four = hn::LoadU(d, reinterpret_cast<const int32_t*>(panel + b * int8_block + c * int8_depth));
      const auto outer = hn::Add(hn::ShiftRight<24>(four), hn::ShiftRight<24>(hn::ShiftLeft<8>(four)));
      const auto inner = hn::Add(hn::ShiftRight<24>(hn::ShiftLeft<16>(four)), hn::ShiftRight<24>(hn::ShiftLeft<24>(four)));
      sum = hn::Add(sum, hn::Add(outer, inner));
    }
    hn::StoreU(sum, d, reinterpret_cast<int32_t*>(panel + blocks * int8_block + c * int8_depth));
  }
}

// Columns whose elements are adjacent in memory.
void pack_columns(const cpu::Int8Matrix& m, int64_t first, uint32_t flip, int8_t* panel) {
  const int64_t count = std::min(int8_panel, m.columns - first), whole = m.depth / int8_depth;
  const auto* const from = static_cast<const uint8_t*>(m.data) + first * m.column_step;
  for (int64_t c = 0; c < count; ++c) {
    const uint8_t* const column = from + c * m.column_step;
    int8_t* const to = panel + c * int8_depth;
    for (int64_t b = 0; b < whole; ++b) {
      uint32_t four;
      std::memcpy(&four, column + b * int8_depth, sizeof four);
      four ^= flip;
      std::memcpy(to + b * int8_block, &four, sizeof four);
    }
    for (int64_t k = whole * int8_depth; k < m.depth; ++k)
      to[whole * int8_block + k % int8_depth] = static_cast<int8_t>(column[k] ^ static_cast<uint8_t>(flip));
  }
}

// Rows whose elements are adjacent in memory.
void pack_rows(const cpu::Int8Matrix& m, int64_t first, uint32_t flip, int8_t* panel) {
  const int64_t count = std::min(int8_panel, m.columns - first);
  // Behind the last row and the last column: what becomes 0.
  std::array<std::array<uint8_t, int8_panel>, int8_depth> copies;
  for (auto& copy : copies) copy.fill(static_cast<uint8_t>(flip));
  for (int64_t k = 0; k < m.depth; k += int8_depth) {
    const uint8_t* rows[int8_depth];
    for (int64_t i = 0; i < int8_depth; ++i) {
      auto& copy = copies[static_cast<size_t>(i)];
      const uint8_t* const row = static_cast<const uint8_t*>(m.data) + (k + i) * m.depth_step + first;
      const bool exists = k + i < m.depth;
      rows[i] = exists && count == int8_panel ? row : copy.data();
      if (exists && count < int8_panel)
        std::copy_n(row, count, copy.data());
      else if (!exists)
        copy.fill(static_cast<uint8_t>(flip));
    }
    interleave(rows, flip, reinterpret_cast<uint8_t*>(panel + k / int8_depth * int8_block));
  }
}

void pack_matrix(const cpu::Int8Matrix& m, bool is_signed, int8_t* packed) {
  const int64_t bytes = int8_panel_bytes(m.depth), blocks = int8_blocks(m.depth);
  const uint32_t flip = is_signed ? 0 : all_signs;
  for (int64_t first = 0; first < m.columns; first += int8_panel, packed += bytes) {
    if (m.column_step == 1) {
      pack_rows(m, first, flip, packed);
    } else {
      if (m.columns - first < int8_panel || m.depth % int8_depth != 0) std::memset(packed, 0, static_cast<size_t>(bytes));
      pack_columns(m, first, flip, packed);
    }
    sum_columns(packed, blocks);
  }
}

HWY_INLINE hn::Vec<Floats> load_floats(const float* from, int64_t count) {
  const Floats d;
  if (count >= static_cast<int64_t>(hn::Lanes(d))) return hn::LoadU(d, from);
  HWY_ALIGN float all[hn::MaxLanes(d)] = {};
  std::copy_n(from, count, all);
  return hn::Load(d, all);
}

HWY_INLINE void store_bytes(hn::Vec<Floats> v, int64_t count, int8_t* to) {
  const Floats d;
  if (count >= static_cast<int64_t>(hn::Lanes(d))) return store_integers<int8_t>(v, 0, to);
  int8_t all[hn::MaxLanes(d)];
  store_integers<int8_t>(v, 0, all);
  std::copy_n(all, count, to);
}

// The larger one of the magnitudes; NaN counts as none.
HWY_INLINE hn::Vec<Floats> larger(hn::Vec<Floats> most, hn::Vec<Floats> v) {
  const auto size = hn::Abs(v);
  return hn::IfThenElse(hn::Gt(size, most), size, most);
}

HWY_INLINE hn::Vec<Floats> scale_of(hn::Vec<Floats> most) {
  const Floats d;
  const auto scale = hn::Div(most, hn::Set(d, 127.0F));
  return hn::IfThenElse(hn::Gt(scale, hn::Zero(d)), scale, hn::Set(d, 1.0F));
}

cpu::Int8Matrix quantize_columns(const cpu::Int8Matrix& m, int8_t* to, float* scales) {
  const Floats d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto* const x = static_cast<const float*>(m.data);
  if (m.column_step == 1) {
    for (int64_t c = 0; c < m.columns; c += lanes) {
      const int64_t count = m.columns - c;
      auto most = hn::Zero(d);
      for (int64_t k = 0; k < m.depth; ++k) most = larger(most, load_floats(x + k * m.depth_step + c, count));
      const auto scale = scale_of(most);
      HWY_ALIGN float of_columns[hn::MaxLanes(d)];
      hn::Store(scale, d, of_columns);
      std::copy_n(of_columns, std::min(lanes, count), scales + c);
      for (int64_t k = 0; k < m.depth; ++k)
        store_bytes(hn::Div(load_floats(x + k * m.depth_step + c, count), scale), count, to + k * m.columns + c);
    }
    return {to, m.depth, m.columns, m.columns, 1};
  }
  for (int64_t c = 0; c < m.columns; ++c) {
    const float* const column = x + c * m.column_step;
    auto most = hn::Zero(d);
    for (int64_t k = 0; k < m.depth; k += lanes) most = larger(most, load_floats(column + k, m.depth - k));
    const auto scale = scale_of(hn::MaxOfLanes(d, most));
    scales[c] = hn::GetLane(scale);
    for (int64_t k = 0; k < m.depth; k += lanes)
      store_bytes(hn::Div(load_floats(column + k, m.depth - k), scale), m.depth - k, to + c * m.depth + k);
  }
  return {to, m.depth, m.columns, 1, m.depth};
}

}  // namespace
}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mt {

HWY_EXPORT(pack_matrix);
HWY_EXPORT(quantize_columns);

namespace cpu {

void int8_pack_matrix(const Int8Matrix& m, bool is_signed, int8_t* packed) { HWY_DYNAMIC_DISPATCH(pack_matrix)(m, is_signed, packed); }

Int8Matrix int8_quantize_columns(const Int8Matrix& m, int8_t* to, float* scales) {
  return HWY_DYNAMIC_DISPATCH(quantize_columns)(m, to, scales);
}

}  // namespace cpu
}  // namespace mt
#endif
