// The kernel of products y = x w (+ bias) (+ y) of float32, in tiles of rows of x by panels of columns of w. Included once for each CPU
// instruction set, after Highway; no include guard.

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace product_tiles {

namespace hn = hwy::HWY_NAMESPACE;

// y and the rows of x are contiguous; `bias` (columns) may be null. If `adds`, the product is added to y. Row k of panel p of w begins at
// p panel_step + k row_step. The last panel may be read beyond its columns.
struct Product {
  int64_t rows, depth, columns;
  const float* x;
  int64_t x_step;
  const float* w;
  int64_t panel_step, row_step;
  const float* bias;
  bool adds;
  float* y;
  int64_t y_step;
};

using Tag = hn::ScalableTag<float>;
constexpr int64_t most_rows = HWY_TARGET == HWY_SSE4 ? 4 : 6;  // registers: 2 vectors of a panel for each row
constexpr int64_t most_panels = 4;

HWY_INLINE int64_t panel_width() { return 2 * static_cast<int64_t>(hn::Lanes(Tag())); }
HWY_INLINE int64_t panel_count(int64_t columns) { return (columns + panel_width() - 1) / panel_width(); }

// One vector for each part of some panels, and the sums of some rows.
template <size_t vectors> using Parts = hn::Vec<Tag>[vectors];

template <size_t vectors, size_t... v> HWY_INLINE void clear(std::index_sequence<v...>, Parts<vectors>& sums) {
  ((sums[v] = hn::Zero(Tag())), ...);
}
template <size_t vectors, size_t... v>
HWY_INLINE void load(std::index_sequence<v...>, const float* w, int64_t lanes, int64_t panel, Parts<vectors>& parts) {
  ((parts[v] = hn::LoadU(Tag(), w + static_cast<int64_t>(v / 2) * panel + static_cast<int64_t>(v % 2) * lanes)), ...);
}
template <size_t vectors, size_t... v>
HWY_INLINE void add_row(std::index_sequence<v...>, hn::Vec<Tag> factor, const Parts<vectors>& parts, Parts<vectors>& sums) {
  ((sums[v] = hn::MulAdd(factor, parts[v], sums[v])), ...);
}
template <size_t vectors, size_t rows, size_t... i> HWY_INLINE void add_rows(std::index_sequence<i...>, const float* x, int64_t x_step,
                                                                             const Parts<vectors>& parts, Parts<vectors> (&sums)[rows]) {
  (add_row<vectors>(std::make_index_sequence<vectors>(), hn::Set(Tag(), x[static_cast<int64_t>(i) * x_step]), parts, sums[i]), ...);
}
template <size_t vectors, size_t rows, size_t... i> HWY_INLINE void clear_rows(std::index_sequence<i...>, Parts<vectors> (&sums)[rows]) {
  (clear<vectors>(std::make_index_sequence<vectors>(), sums[i]), ...);
}

// Writes a vector of row y, from column c on, of which the last ones may be missing.
HWY_INLINE void finish(const Product& m, float* y, int64_t c, hn::Vec<Tag> sum) {
  const Tag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t count = m.columns - c;
  if (count >= lanes) {
    if (m.bias != nullptr) sum = hn::Add(sum, hn::LoadU(d, m.bias + c));
    if (m.adds) sum = hn::Add(sum, hn::LoadU(d, y + c));
    hn::StoreU(sum, d, y + c);
    return;
  }
  HWY_ALIGN float some[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(sum, d, some);
  for (int64_t j = 0; j < count; ++j) y[c + j] = some[j] + (m.bias != nullptr ? m.bias[c + j] : 0) + (m.adds ? y[c + j] : 0);
}
template <size_t vectors, size_t... v>
HWY_INLINE void finish_row(std::index_sequence<v...>, const Product& m, float* y, int64_t c, const Parts<vectors>& sums) {
  (finish(m, y, c + static_cast<int64_t>(v * hn::Lanes(Tag())), sums[v]), ...);
}
template <size_t vectors, size_t rows, size_t... i>
HWY_INLINE void finish_rows(std::index_sequence<i...>, const Product& m, int64_t r, int64_t c, const Parts<vectors> (&sums)[rows]) {
  (finish_row<vectors>(std::make_index_sequence<vectors>(), m, m.y + (r + static_cast<int64_t>(i)) * m.y_step, c, sums[i]), ...);
}

// Computes rows r.. of y, for some vectors from panel p on.
template <int64_t rows, size_t vectors> void multiply_tile(const Product& m, int64_t r, int64_t p) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(Tag()));
  const int64_t depth = m.depth, x_step = m.x_step, row_step = m.row_step;
  const float *w = m.w + p * m.panel_step, *x = m.x + r * x_step;
  Parts<vectors> sums[rows];
  clear_rows<vectors, rows>(std::make_index_sequence<rows>(), sums);
  for (int64_t k = 0; k < depth; ++k, w += row_step, ++x) {
    Parts<vectors> parts;
    load<vectors>(std::make_index_sequence<vectors>(), w, lanes, m.panel_step, parts);
    add_rows<vectors, rows>(std::make_index_sequence<rows>(), x, x_step, parts, sums);
  }
  finish_rows<vectors, rows>(std::make_index_sequence<rows>(), m, r, p * panel_width(), sums);
}

template <int64_t rows> void multiply_rows(const Product& m, int64_t r, int64_t begin, int64_t end) {
  constexpr int64_t panels = rows == 1 ? most_panels : rows <= 2 ? 2 : 1;
  int64_t p = begin;
  for (; p + panels <= end; p += panels) {
    if (panels == 1 && m.columns - p * panel_width() <= panel_width() / 2)
      multiply_tile<rows, 1>(m, r, p);
    else
      multiply_tile<rows, 2 * panels>(m, r, p);
  }
  for (; p < end; ++p) multiply_tile<rows, 2>(m, r, p);
}

// Panels begin..end of the result.
inline void multiply_packed(const Product& m, int64_t begin, int64_t end) {
  const int64_t together = m.rows < 3 ? most_panels : 1;  // panels that stay in the first-level cache for all rows
  for (int64_t p = begin; p < end; p += together) {
    const int64_t last = std::min(end, p + together);
    int64_t r = 0;
    for (; r + most_rows <= m.rows; r += most_rows) multiply_rows<most_rows>(m, r, p, last);
    switch (m.rows - r) {
      case 5:
        multiply_rows<3>(m, r, p, last);
        multiply_rows<2>(m, r + 3, p, last);
        break;
      case 4:
        multiply_rows<4>(m, r, p, last);
        break;
      case 3:
        multiply_rows<3>(m, r, p, last);
        break;
      case 2:
        multiply_rows<2>(m, r, p, last);
        break;
      case 1:
        multiply_rows<1>(m, r, p, last);
        break;
      default:
        break;
    }
  }
}

inline void multiply_all(const Product& m) { multiply_packed(m, 0, panel_count(m.columns)); }

}  // namespace product_tiles
}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
