// Copies between rows and columns. A square of elements goes through registers: each vector gathers, a block of 16 bytes a row, as many
// rows as it has blocks; zipping the vectors of one half with those of the other, log2(elements of a block) times, transposes all their
// blocks at once, and each vector is then a piece of a row of the result. Reads and writes are whole cache lines with 512-bit vectors: 2500
// x 4000 floats take 2.0 ms of one Zen 5 core; 4 x 4 squares through a buffer took 5.4.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/transpose.cpp"
#include <hwy/foreach_target.h>  // must come before what is compiled several times
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "engine/core/iterator.h"
#include "engine/core/parallel.h"
#include "engine/cpu/transpose.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t block_bytes = 16;

// A block from each of several rows, `apart` bytes from one to the next: as many as the vector has.
template <class D> HWY_INLINE hn::Vec<D> gather_blocks(D d, const std::byte* from, int64_t apart) {
  if constexpr (hn::MaxLanes(d) * sizeof(hn::TFromD<D>) <= block_bytes) {
    return hn::LoadU(d, reinterpret_cast<const hn::TFromD<D>*>(from));
  } else {
    const hn::Half<D> half;
    constexpr auto blocks = static_cast<int64_t>(hn::MaxLanes(half) * sizeof(hn::TFromD<D>) / block_bytes);
    return hn::Combine(d, gather_blocks(half, from + blocks * apart, apart), gather_blocks(half, from, apart));
  }
}

// A square: `rows` elements of a block, by as many columns as a vector has lanes. Without loops, so that vectors stay in registers.
template <class W> struct Square {
  static constexpr hn::ScalableTag<W> d{};
  static constexpr size_t rows = block_bytes / sizeof(W), columns = hn::MaxLanes(d);
  using V = hn::Vec<hn::ScalableTag<W>>;
  using Vectors = std::array<V, rows>;

  template <size_t i> static HWY_INLINE V zipped(const Vectors& v) {
    return i % 2 == 0 ? hn::InterleaveLower(d, v[i / 2], v[i / 2 + rows / 2]) : hn::InterleaveUpper(d, v[i / 2], v[i / 2 + rows / 2]);
  }

  template <size_t times, size_t... i> static HWY_INLINE Vectors zip(const Vectors& v, std::index_sequence<i...> all) {
    if constexpr (times == 0)
      return v;
    else
      return zip<times - 1>(Vectors{zipped<i>(v)...}, all);
  }

  template <size_t... i>
  static HWY_INLINE void move(std::byte* to, int64_t to_stride, const std::byte* from, int64_t from_stride, std::index_sequence<i...> all) {
    const Vectors v = zip<std::bit_width(rows) - 1>(Vectors{gather_blocks(d, from + i * from_stride, rows * from_stride)...}, all);
    (hn::StoreU(v[i], d, reinterpret_cast<W*>(to + i * to_stride)), ...);
  }

  static HWY_INLINE void move(std::byte* to, int64_t to_stride, const std::byte* from, int64_t from_stride) {
    move(to, to_stride, from, from_stride, std::make_index_sequence<rows>());
  }
};

// Column after column, each of many rows: reading goes along `from`, and what is written lies on few pages. Where the rows' starts compete
// for the same lines of the cache, writing goes along rows instead, a cache line of them at a time, so that each line is filled while it is
// there (512 x 512 doubles in 57 us, not 197).
template <class W> void transpose_rows(const cpu::Transposed& t, int64_t begin, int64_t end) {
  using S = Square<W>;
  constexpr int64_t width = sizeof(W), rows = S::rows, columns = S::columns, many = 1024;
  const auto to = [&](int64_t row, int64_t column) { return t.to + row * t.to_stride + column * width; };
  const auto from = [&](int64_t row, int64_t column) { return t.from + column * t.from_stride + row * width; };
  const bool compete = t.to_stride % 1024 == 0;
  const int64_t block_rows = compete ? 64 / width : many, block_columns = compete ? many : columns;
  const int64_t whole_rows = begin + (end - begin) / rows * rows, whole_columns = t.columns / columns * columns;
  for (int64_t left = 0; left < whole_columns; left += block_columns) {
    const int64_t right = std::min(left + block_columns, whole_columns);
    for (int64_t top = begin; top < whole_rows; top += block_rows) {
      const int64_t bottom = std::min(top + block_rows, whole_rows);
      for (int64_t column = left; column < right; column += columns)
        for (int64_t row = top; row < bottom; row += rows) S::move(to(row, column), t.to_stride, from(row, column), t.from_stride);
    }
  }
  for (int64_t row = begin; row < end; ++row)
    for (int64_t column = row < whole_rows ? whole_columns : 0; column < t.columns; ++column)
      std::memcpy(to(row, column), from(row, column), width);
}

void transpose_some(const cpu::Transposed& t, int64_t begin, int64_t end) {
  switch (t.width) {
    case 1:
      return transpose_rows<uint8_t>(t, begin, end);
    case 2:
      return transpose_rows<uint16_t>(t, begin, end);
    case 4:
      return transpose_rows<uint32_t>(t, begin, end);
    default:
      return transpose_rows<uint64_t>(t, begin, end);
  }
}

}  // namespace
}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mt {

HWY_EXPORT(transpose_some);

namespace cpu {

void transpose(const Transposed& t) {
  constexpr int64_t unit = 64;  // rows: as many elements of a column make whole cache lines
  parallel_for((t.rows + unit - 1) / unit, std::max<int64_t>(1, pointwise_grain / (unit * t.columns)), [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(transpose_some)(t, begin * unit, std::min(end * unit, t.rows));
  });
}

void lay_out(const Images& images, ImageLayout layout, const std::byte* from, std::byte* to) {
  const bool last = layout == ImageLayout::channels_last;
  const int64_t rows = last ? images.points : images.channels, columns = last ? images.channels : images.points;
  const int64_t row = columns * images.width, column = rows * images.width;
  for (int64_t n = 0; n < images.batch; ++n)
    transpose({to + n * rows * row, row, from + n * rows * row, column, rows, columns, images.width});
}

}  // namespace cpu
}  // namespace mt
#endif
