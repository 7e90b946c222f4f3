// The plain matrix product. A tile of the result, four rows by 32 bytes of columns, is summed in registers in the loop over the depth; the
// columns of b for a tile are packed once for all rows of a band, converted to the type of the sums. 10 GFLOP/s per core in int32 with SSE2
// (Zen 4, n = 256). float32 has a kernel for each instruction set (tiled_gemm.cpp).
#include <algorithm>
#include <cstring>
#include <memory>

#include "engine/core/parallel.h"
#include "engine/cpu/blas.h"
#include "engine/cpu/product.h"
#include "engine/cpu/tiled_gemm.h"

namespace mt::cpu {
namespace {

constexpr int tile_rows = 4;
template <class W> constexpr int tile_cols = 32 / sizeof(W);

// sums[r][j] = sum over k of a(r, k) panel[k][j]
template <int Rows, class T, class W> void tile_sums(const MatrixView<const T>& a, const W* panel, W (*sums)[tile_cols<W>]) {
  typedef W Lanes __attribute__((vector_size(32)));
  Lanes total[Rows] = {};
  for (int64_t k = 0; k < a.cols; ++k) {
    Lanes row;
    std::memcpy(&row, panel + k * tile_cols<W>, sizeof row);
    for (int r = 0; r < Rows; ++r) total[r] += to_work(a.at(r, k)) * row;
  }
  std::memcpy(sums, total, sizeof total);
}

template <class T> void scale_result(Compute<T> beta, const MatrixView<T>& c) {
  for (int64_t i = 0; i < c.rows; ++i)
    for (int64_t j = 0; j < c.cols; ++j) c.at(i, j) = combine<T>(Compute<T>(0), Work<T>(0), beta, c.at(i, j));
}

// Computes one band of rows of c, all of its columns.
template <class T> void product_band(Compute<T> alpha, ConstMatrix<T> a, ConstMatrix<T> b, Compute<T> beta, const MatrixView<T>& c) {
  using W = Work<T>;
  constexpr int width = tile_cols<W>;
  const auto panel = std::make_unique_for_overwrite<W[]>(static_cast<size_t>(a.cols * width));
  for (int64_t col = 0; col < c.cols; col += width) {
    const int cols = static_cast<int>(std::min<int64_t>(width, c.cols - col));
    for (int64_t k = 0; k < a.cols; ++k)
      for (int j = 0; j < width; ++j) panel[k * width + j] = j < cols ? to_work(b.at(k, col + j)) : W(0);
    for (int64_t row = 0; row < c.rows; row += tile_rows) {
      const int rows = static_cast<int>(std::min<int64_t>(tile_rows, c.rows - row));
      W sums[tile_rows][width];
      if (rows == tile_rows) {
        tile_sums<tile_rows>(a.block(row, 0, rows, a.cols), panel.get(), sums);
      } else {
        for (int r = 0; r < rows; ++r) tile_sums<1>(a.block(row + r, 0, 1, a.cols), panel.get(), sums + r);
      }
      for (int r = 0; r < rows; ++r)
        for (int j = 0; j < cols; ++j) c.at(row + r, col + j) = combine<T>(alpha, sums[r][j], beta, c.at(row + r, col + j));
    }
  }
}

}  // namespace

template <class T> void plain_gemm(Compute<T> alpha, ConstMatrix<T> a, ConstMatrix<T> b, Compute<T> beta, MatrixView<T> c) {
  if (c.rows == 0 || c.cols == 0) return;
  if (alpha == 0 || a.cols == 0) return scale_result(beta, c);
  if constexpr (std::is_same_v<T, float>) {
    if (suits_tiled_gemm(c)) return tiled_gemm(alpha, a, b, beta, c);
  }
  constexpr int64_t band = 64;  // rows: enough to pay for the packing of b
  const int64_t bands = (c.rows + band - 1) / band;
  const int64_t grain = std::max<int64_t>(1, (int64_t{1} << 18) / (band * c.cols * a.cols));
  parallel_for(bands, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i * band, rows = std::min(band, c.rows - first);
      product_band<T>(alpha, a.block(first, 0, rows, a.cols), b, beta, c.block(first, 0, rows, c.cols));
    }
  });
}

#define MT_INSTANTIATE(T) template void plain_gemm<T>(Compute<T>, ConstMatrix<T>, ConstMatrix<T>, Compute<T>, MatrixView<T>);
MT_FOR_EACH_REAL(MT_INSTANTIATE)
#undef MT_INSTANTIATE

}  // namespace mt::cpu
