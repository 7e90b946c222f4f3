// c = beta c + alpha a b of float32. A panel of columns of b, as deep as fits the first-level cache, is copied to a block in the order in
// which the tiles read it (product_tiles-inl.h); a few rows of c read b in place. A few columns of c are sums along rows of a.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/tiled_gemm.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times
#include <hwy/highway.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/core/parallel.h"
#include "engine/cpu/elements.h"
#include "engine/cpu/tiled_gemm.h"

#include "engine/cpu/product_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using product_tiles::panel_width;
using Read = cpu::MatrixView<const float>;
using Result = cpu::MatrixView<float>;

constexpr int64_t depth_at_once = 256;

// Copies rows of some columns, times alpha, to rows of a panel's width.
void pack_panel(const Read& b, float alpha, float* HWY_RESTRICT to) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d)), width = panel_width();
  if (b.col_stride == 1 && b.cols == width) {
    const auto factor = hn::Set(d, alpha);
    for (int64_t k = 0; k < b.rows; ++k, to += width) {
      const float* const from = b.data + k * b.row_stride;
      hn::StoreU(hn::Mul(factor, hn::LoadU(d, from)), d, to);
      hn::StoreU(hn::Mul(factor, hn::LoadU(d, from + lanes)), d, to + lanes);
    }
    return;
  }
  for (int64_t j = 0; j < width; ++j) {
    const float* const from = b.data + j * b.col_stride;
    for (int64_t k = 0; k < b.rows; ++k) to[k * width + j] = j < b.cols ? alpha * from[k * b.row_stride] : 0.0F;
  }
}

// Panels begin..end of columns of c, which has rows without gaps, as a has. If `adds`, the product is added to c.
void multiply_panels(float alpha, const Read& a, const Read& b, bool adds, const Result& c, int64_t begin, int64_t end) {
  const int64_t width = panel_width();
  const bool in_place = b.col_stride == 1 && alpha == 1 && c.rows <= product_tiles::most_rows;
  const cpu::Elements<float> panel(std::min(depth_at_once, b.rows) * width);
  for (int64_t k = 0; k < b.rows; k += depth_at_once) {
    const int64_t depth = std::min(depth_at_once, b.rows - k);
    const bool sums = adds || k > 0;
    int64_t p = begin;
    if (in_place) {
      p = std::clamp(c.cols / width, begin, end);
      product_tiles::multiply_packed({c.rows, depth, c.cols, a.data + k, a.row_stride, b.data + k * b.row_stride, width, b.row_stride,
                                      nullptr, sums, c.data, c.row_stride},
                                     begin, p);
    }
    for (; p < end; ++p) {
      const int64_t column = p * width, columns = std::min(width, c.cols - column);
      pack_panel({b.data + k * b.row_stride + column * b.col_stride, depth, columns, b.row_stride, b.col_stride}, alpha, panel.data());
      product_tiles::multiply_packed(
          {c.rows, depth, columns, a.data + k, a.row_stride, panel.data(), 0, width, nullptr, sums, c.data + column, c.row_stride}, 0, 1);
    }
  }
}

// c(i, j) = c(i, j) (if `adds`) + alpha times the sum over k of a(i, k) b(k, j), for rows begin..end and all columns. Rows of a and columns
// of b have no gaps: each lane sums a part of the depth.
template <size_t... j> void multiply_columns(std::index_sequence<j...>, float alpha, const Read& a, const Read& b, bool adds,
                                             const Result& c, int64_t begin, int64_t end) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d)), depth = a.cols;
  const float* const columns[] = {b.data + static_cast<int64_t>(j) * b.col_stride...};
  for (int64_t i = begin; i < end; ++i) {
    const float* const row = a.data + i * a.row_stride;
    hn::Vec<decltype(d)> even[] = {(static_cast<void>(j), hn::Zero(d))...}, odd[] = {(static_cast<void>(j), hn::Zero(d))...};
    int64_t k = 0;
    for (; k + 2 * lanes <= depth; k += 2 * lanes) {
      const auto first = hn::LoadU(d, row + k), second = hn::LoadU(d, row + k + lanes);
      ((even[j] = hn::MulAdd(first, hn::LoadU(d, columns[j] + k), even[j])), ...);
      ((odd[j] = hn::MulAdd(second, hn::LoadU(d, columns[j] + k + lanes), odd[j])), ...);
    }
    const auto finish = [&](size_t column) HWY_ATTR {
      float sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(even[column], odd[column])));
      for (int64_t rest = k; rest < depth; ++rest) sum += row[rest] * columns[column][rest];
      float& to = c.at(i, static_cast<int64_t>(column));
      to = (adds ? to : 0.0F) + alpha * sum;
    };
    (finish(j), ...);
  }
}

void multiply_few(float alpha, const Read& a, const Read& b, bool adds, const Result& c, int64_t begin, int64_t end) {
  switch (c.cols) {
    case 1:
      return multiply_columns(std::make_index_sequence<1>(), alpha, a, b, adds, c, begin, end);
    case 2:
      return multiply_columns(std::make_index_sequence<2>(), alpha, a, b, adds, c, begin, end);
    case 3:
      return multiply_columns(std::make_index_sequence<3>(), alpha, a, b, adds, c, begin, end);
    default:
      return multiply_columns(std::make_index_sequence<4>(), alpha, a, b, adds, c, begin, end);
  }
}

int64_t tiled_panels(int64_t columns) { return product_tiles::panel_count(columns); }

}  // namespace
}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mt {

HWY_EXPORT(multiply_panels);
HWY_EXPORT(multiply_few);
HWY_EXPORT(tiled_panels);

namespace cpu {
namespace {

constexpr int64_t work_of_thread = 1 << 18;  // multiplications

// The matrix, or a copy whose rows have no gaps.
MatrixView<const float> with_plain_rows(const MatrixView<const float>& m, std::optional<Elements<float>>& space) {
  if (m.col_stride == 1 || m.cols == 1) return m;
  float* const elements = space.emplace(m.rows * m.cols).data();
  for (int64_t i = 0; i < m.rows; ++i)
    for (int64_t j = 0; j < m.cols; ++j) elements[i * m.cols + j] = m.at(i, j);
  return {elements, m.rows, m.cols, m.cols, 1};
}

void scale(const MatrixView<float>& c, float beta) {
  if (beta == 0 || beta == 1) return;
  for (int64_t i = 0; i < c.rows; ++i)
    for (int64_t j = 0; j < c.cols; ++j) c.at(i, j) *= beta;
}

}  // namespace

void tiled_gemm(float alpha, ConstMatrix<float> a, ConstMatrix<float> b, float beta, MatrixView<float> c) {
  if (c.col_stride != 1 && c.cols != 1) return tiled_gemm(alpha, b.transposed(), a.transposed(), beta, c.transposed());
  scale(c, beta);
  const bool adds = beta != 0;
  std::optional<Elements<float>> space;
  constexpr int64_t few = 4;  // columns, of which a panel would be mostly empty
  if (c.cols <= few && a.col_stride == 1) {
    const auto columns = with_plain_rows(b.transposed(), space).transposed();
    return parallel_ranges(c.rows, std::max<int64_t>(1, work_of_thread / (a.cols * c.cols)), [&](int64_t begin, int64_t end) {
      HWY_DYNAMIC_DISPATCH(multiply_few)(alpha, a, columns, adds, c, begin, end);
    });
  }
  const auto rows = with_plain_rows(a, space);
  constexpr int64_t band = 96;  // rows: enough to pay for a panel's copy
  const int64_t panels = HWY_DYNAMIC_DISPATCH(tiled_panels)(c.cols), bands = panels < num_threads() ? (c.rows + band - 1) / band : 1;
  const int64_t height = (c.rows + bands - 1) / bands;
  const int64_t grain = std::max<int64_t>(1, work_of_thread * panels * bands / std::max<int64_t>(1, c.rows * c.cols * b.rows));
  parallel_ranges(panels * bands, grain, [&](int64_t begin, int64_t end) {
    while (begin < end) {  // of one band at a time
      const int64_t first = begin / panels * height, count = std::min(height, c.rows - first), p = begin % panels;
      const int64_t last = std::min(panels, p + end - begin);
      if (count > 0) HWY_DYNAMIC_DISPATCH(multiply_panels)
      (alpha, rows.block(first, 0, count, rows.cols), b, adds, c.block(first, 0, count, c.cols), p, last);
      begin += last - p;
    }
  });
}

}  // namespace cpu
}  // namespace mt
#endif
