// Copies between rows and columns. A square of elements goes through registers: each vector gathers a block of 16 bytes from each of as
// many rows as it has blocks; zipping the vectors of one half with those of the other, log2(elements of a block) times, transposes all
// their blocks at once, and each vector is then a part of a row of the result. Reads and writes are full cache lines with 512-bit vectors:
// 2500 x 4000 floats take 2.0 ms of one Zen 5 core; 4 x 4 squares through a buffer took 5.4.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/transpose.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // before the code that is compiled several times
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "engine/core/parallel.h"
#include "engine/cpu/iterate.h"
#include "engine/cpu/transpose.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t block_bytes = 16;
constexpr int64_t line = 64;  // of the cache, in bytes

// A block from each of several rows, `apart` bytes from one to the next: as many as the vector has blocks.
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

  // Calls put(row, vector) for each row of the result.
  template <class Put, size_t... i>
  static HWY_INLINE void turn(const std::byte* from, int64_t from_stride, const Put& put, std::index_sequence<i...> all) {
    const Vectors v = zip<std::bit_width(rows) - 1>(Vectors{gather_blocks(d, from + i * from_stride, rows * from_stride)...}, all);
    (put(static_cast<int64_t>(i), v[i]), ...);
  }
  template <class Put> static HWY_INLINE void turn(const std::byte* from, int64_t from_stride, const Put& put) {
    turn(from, from_stride, put, std::make_index_sequence<rows>());
  }
};

// The rows of a square go here. The compiler always inlines such functors, but not lambdas.
template <class W> struct ToRows {
  std::byte* first;
  int64_t stride;
  template <class V> HWY_INLINE void operator()(int64_t i, V v) const {
    hn::StoreU(v, Square<W>::d, reinterpret_cast<W*>(first + i * stride));
  }
};

// Copies the part of a row that squares don't cover.
template <class W> void copy_rest(const cpu::Transposed& t, int64_t row, int64_t first_column) {
  constexpr int64_t width = sizeof(W);
  for (int64_t column = first_column; column < t.columns; ++column)
    std::memcpy(t.to + row * t.to_stride + column * width, t.from + column * t.from_stride + row * width, width);
}

// Column after column, each of many rows: reads go along `from`, and writes go to few pages. If the starts of the rows compete for the same
// cache lines, writes go along rows instead, a cache line of rows at a time, so that each line is filled while it is cached (512 x 512
// doubles in 57 us, not 197).
template <class W> void transpose_rows(const cpu::Transposed& t, int64_t begin, int64_t end) {
  using S = Square<W>;
  constexpr int64_t width = sizeof(W), rows = S::rows, columns = S::columns, many = 1024;
  const auto to = [&](int64_t row, int64_t column) { return t.to + row * t.to_stride + column * width; };
  const auto from = [&](int64_t row, int64_t column) { return t.from + column * t.from_stride + row * width; };
  const bool compete = t.to_stride % 1024 == 0;
  const int64_t block_rows = compete ? line / width : many, block_columns = compete ? many : columns;
  const int64_t whole_rows = begin + (end - begin) / rows * rows, whole_columns = t.columns / columns * columns;
  for (int64_t left = 0; left < whole_columns; left += block_columns) {
    const int64_t right = std::min(left + block_columns, whole_columns);
    for (int64_t top = begin; top < whole_rows; top += block_rows) {
      const int64_t bottom = std::min(top + block_rows, whole_rows);
      for (int64_t column = left; column < right; column += columns) {
        for (int64_t row = top; row < bottom; row += rows) {
          S::turn(from(row, column), t.from_stride, ToRows<W>{to(row, column), t.to_stride});
        }
      }
    }
  }
  for (int64_t row = begin; row < end; ++row) copy_rest<W>(t, row, row < whole_rows ? whole_columns : 0);
}

template <class W> constexpr bool fills_lines = hn::MaxLanes(Square<W>::d) * sizeof(W) == line;

// Writes rows by streaming stores, a vector at a time, which is as long as a cache line. Rows rarely start at a cache line, and only full
// lines pay off: so the part of a vector in the next line waits, at its position in that line, for the row's next vector.
template <class W> class LinesOfRows {
 public:
  static constexpr int64_t most = 1024;  // rows

  // Writes the vector for `to`, the row's first one or the successor of the last.
  template <class V> HWY_INLINE void put(int64_t row, std::byte* to, V v, bool first) {
    const auto before = words_before(to);
    auto* const place = reinterpret_cast<uint32_t*>(to) - before;
    const auto waiting = hn::FirstN(words, before);
    const auto turned = hn::And(hn::Iota(words, static_cast<uint32_t>(words_in_line - before)), hn::Set(words, words_in_line - 1));
    const auto now = hn::TableLookupLanes(hn::BitCast(words, v), hn::IndicesFromVec(words, turned));
    if (first)
      hn::BlendedStore(now, hn::Not(waiting), words, place);
    else
      hn::Stream(hn::IfThenElse(waiting, hn::Load(words, waiting_[row]), now), words, place);
    hn::Store(now, words, waiting_[row]);
  }

  // Writes the waiting part of a row whose last vector ended before `end`.
  void finish(int64_t row, std::byte* end) {
    const auto bytes = words_before(end) * sizeof(uint32_t);
    std::memcpy(end - bytes, waiting_[row], bytes);
  }

 private:
  static constexpr hn::Repartition<uint32_t, hn::ScalableTag<W>> words{};
  static constexpr uint32_t words_in_line = line / sizeof(uint32_t);
  static HWY_INLINE size_t words_before(const std::byte* p) { return reinterpret_cast<uintptr_t>(p) % line / sizeof(uint32_t); }

  alignas(line) uint32_t waiting_[most][words_in_line];
};

template <class W> struct ToLines {
  LinesOfRows<W>& lines;
  int64_t row;
  std::byte* first;
  int64_t stride;
  bool begins;
  template <class V> HWY_INLINE void operator()(int64_t i, V v) const { lines.put(row + i, first + i * stride, v, begins); }
};

// By streaming stores: reads go along few rows of `from` at a time, which the processor predicts, and writes go to scattered lines, which
// costs nothing. 2500 x 4000 floats take 2.6 ms of a Zen 4 core, and 9.2 by plain stores.
template <class W> void transpose_streaming(const cpu::Transposed& t, int64_t begin, int64_t end) {
  using S = Square<W>;
  constexpr int64_t width = sizeof(W), rows = S::rows, columns = S::columns, in_line = line / width, ahead = 6 * in_line;
  const auto from = [&](int64_t row, int64_t column) { return t.from + column * t.from_stride + row * width; };
  const int64_t whole_rows = begin + (end - begin) / in_line * in_line, whole_columns = t.columns / columns * columns;
  LinesOfRows<W> lines;
  for (int64_t top = begin; top < whole_rows; top += lines.most) {
    const int64_t bottom = std::min(top + lines.most, whole_rows);
    for (int64_t column = 0; column < whole_columns; column += columns) {
      for (int64_t row = top; row < bottom; row += in_line) {
        const bool on = row + ahead < bottom;  // else the start of the next columns
        const std::byte* const soon = on ? from(row + ahead, column) : from(row + ahead - bottom + top, column + columns);
        for (int64_t i = 0; i < columns; ++i) hwy::Prefetch(soon + i * t.from_stride);
        for (int64_t k = row; k < row + in_line; k += rows) {
          std::byte* const to = t.to + k * t.to_stride + column * width;
          S::turn(from(k, column), t.from_stride, ToLines<W>{lines, k - top, to, t.to_stride, column == 0});
        }
      }
    }
    for (int64_t row = top; row < bottom; ++row) lines.finish(row - top, t.to + row * t.to_stride + whole_columns * width);
  }
  hwy::FlushStream();
  for (int64_t row = begin; row < end; ++row) copy_rest<W>(t, row, row < whole_rows ? whole_columns : 0);
}

template <class W> void transpose_elements(const cpu::Transposed& t, int64_t begin, int64_t end) {
  if constexpr (fills_lines<W>) {
    const bool whole_words = reinterpret_cast<uintptr_t>(t.to) % 4 == 0 && t.to_stride % 4 == 0;
    if (t.streams && whole_words && t.columns * t.width >= 16 * line) return transpose_streaming<W>(t, begin, end);
  }
  transpose_rows<W>(t, begin, end);
}

void transpose_some(const cpu::Transposed& t, int64_t begin, int64_t end) {
  switch (t.width) {
    case 1:
      return transpose_elements<uint8_t>(t, begin, end);
    case 2:
      return transpose_elements<uint16_t>(t, begin, end);
    case 4:
      return transpose_elements<uint32_t>(t, begin, end);
    default:
      return transpose_elements<uint64_t>(t, begin, end);
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
  constexpr int64_t unit = 64;  // rows: as many elements of a column fill cache lines
  const int64_t elements = unit * t.columns, grain = std::max<int64_t>(1, pointwise_grain / elements);
  parallel_ranges((t.rows + unit - 1) / unit, grain, [&](int64_t first, int64_t last) {
    // Large blocks: the columns of a range are read one after the other.
    in_blocks(first, last, std::max<int64_t>(2, 8 * pointwise_grain / elements), [&](int64_t begin, int64_t end) {
      HWY_DYNAMIC_DISPATCH(transpose_some)(t, begin * unit, std::min(end * unit, t.rows));
    });
  });
}

void lay_out(const Images& images, ImageLayout layout, const std::byte* from, std::byte* to) {
  const bool last = layout == ImageLayout::channels_last;
  const int64_t rows = last ? images.points : images.channels, columns = last ? images.channels : images.points;
  const int64_t row = columns * images.width, column = rows * images.width;
  for (int64_t n = 0; n < images.batch; ++n)
    transpose({to + n * rows * row, row, from + n * rows * row, column, rows, columns, images.width, false});
}

}  // namespace cpu
}  // namespace mt
#endif
