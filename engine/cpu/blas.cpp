// Chooses the method of a product. Up to 64 multiplications: loops, since a library call costs as much (they don't even open a BLAS). float
// and double: the vendor's BLAS on one thread per block of the result, with block borders for which the bits don't depend on the number of
// threads (see Cuts). 16-bit floats are computed in float32. Everything else: plain_gemm.
#include "engine/cpu/blas.h"

#include <algorithm>
#include <climits>
#include <memory>
#include <optional>
#include <vector>

#include "engine/core/fork.h"
#include "engine/core/parallel.h"
#include "engine/cpu/convert.h"
#include "engine/cpu/dnnl.h"
#include "engine/cpu/product.h"
#include "engine/cpu/vendor_alone.h"
#include "engine/cpu/vendor_blas.h"

namespace mt::cpu {
namespace {

constexpr int64_t tiny_product = 64;          // multiplications
constexpr int64_t block_product = 1'000'000;  // multiplications; a thread's block has more of them (28 us)
constexpr int64_t grain_of_memory = 1 << 17;  // elements per thread, of a matrix that is read once

#ifdef MT_WITHOUT_BLAS
template <class T> constexpr bool has_vendor = false;
#else
template <class T> constexpr bool has_vendor = std::is_same_v<T, float> || std::is_same_v<T, double>;
#endif

template <class T> const BlasRoutines<T>* vendor() {
  if constexpr (has_vendor<T>)
    return vendor_blas<T>();
  else
    return nullptr;
}

// A matrix in the form of BLAS: contiguous along rows ('N', in row-major terms) or along columns ('T').
template <class T> struct Operand {
  const T* data;
  char trans;
  int64_t ld;
};

template <class T> bool rows_are_contiguous(const MatrixView<T>& m) {
  return (m.col_stride == 1 || m.cols <= 1) && (m.row_stride >= m.cols || m.rows <= 1);
}

template <class T> int64_t leading(const MatrixView<T>& m) {
  return m.rows <= 1 ? std::max<int64_t>(1, m.cols) : std::max<int64_t>(1, m.row_stride);
}

template <class T> MatrixView<const T> packed(const MatrixView<const T>& m, std::unique_ptr<T[]>& buffer) {
  buffer = std::make_unique_for_overwrite<T[]>(static_cast<size_t>(m.rows * m.cols));
  const MatrixView<T> copy{buffer.get(), m.rows, m.cols, m.cols, 1};
  for (int64_t i = 0; i < m.rows; ++i)
    for (int64_t j = 0; j < m.cols; ++j) copy.at(i, j) = m.at(i, j);
  return copy;
}

template <class T> Operand<T> operand(const MatrixView<const T>& m, std::unique_ptr<T[]>& buffer) {
  if (rows_are_contiguous(m)) return {m.data, 'N', leading(m)};
  if (rows_are_contiguous(m.transposed())) return {m.data, 'T', leading(m.transposed())};
  const auto copy = packed(m, buffer);
  return {copy.data, 'N', leading(copy)};
}

template <class T> bool fits_vendor(const MatrixView<T>& m) {
  return m.rows <= INT_MAX && m.cols <= INT_MAX && std::max(m.row_stride, m.col_stride) <= INT_MAX;
}

// Divides rows or columns of a result into equal parts. OpenBLAS's kernels round an element depending on its position in their tiles (12 of
// our rows, up to 16 columns), so borders are between tiles. Up to 1e6 multiplications, they add in another order.
struct Cuts {
  int64_t size, tile, parts = 1;

  int64_t tiles() const { return (size + tile - 1) / tile; }
  int64_t at(int64_t part) const { return std::min(size, tiles() * part / parts * tile); }
  int64_t least() const { return parts == 1 ? size : tiles() / parts * tile - (tiles() * tile - size); }
  int64_t most() const { return parts == 1 ? size : (tiles() + parts - 1) / parts * tile; }
};

struct Grid {
  Cuts down, across;
};

// At most `blocks` parts: the largest should be small and operands read rarely; packing an element costs as much as a few products.
[[maybe_unused]] Grid split(const Grid& whole, int64_t k, int64_t blocks, bool columns_too) {
  constexpr int64_t packing = 16;
  Grid best = whole;
  double best_cost = 1e300;
  Grid grid = whole;
  for (grid.down.parts = 1; grid.down.parts <= std::min(blocks, grid.down.tiles()); ++grid.down.parts) {
    const int64_t most_across = columns_too ? std::min(blocks / grid.down.parts, grid.across.tiles()) : 1;
    for (grid.across.parts = 1; grid.across.parts <= most_across; ++grid.across.parts) {
      const bool alone = grid.down.parts * grid.across.parts == 1;
      if (!alone && grid.down.least() * grid.across.least() * k <= block_product) continue;
      const auto rows = static_cast<double>(grid.down.most()), cols = static_cast<double>(grid.across.most());
      const double cost = rows * cols + packing * (rows + cols);
      if (cost < best_cost) best = grid, best_cost = cost;
    }
  }
  return best;
}

// c's rows are contiguous. BLAS is column-major: it reads each of our matrices as its transpose, and computes c' = b' a'.
template <class T> void vendor_gemm(const BlasRoutines<T>& blas, T alpha, const MatrixView<const T>& a, const MatrixView<const T>& b,
                                    T beta, const MatrixView<T>& c) {
  constexpr int64_t tile_rows = 12, tile_columns = 16, most_rows = 2048 * tile_rows;  // OpenBLAS divides 43,000 rows and more
  if (c.rows > most_rows) {
    for (int64_t row = 0; row < c.rows; row += most_rows) {
      const int64_t some = std::min(most_rows, c.rows - row);
      vendor_gemm(blas, alpha, a.block(row, 0, some, a.cols), b, beta, c.block(row, 0, some, c.cols));
    }
    return;
  }
  std::unique_ptr<T[]> a_buffer, b_buffer;
  const Operand<T> left = operand(a, a_buffer), right = operand(b, b_buffer);
  const int k = static_cast<int>(a.cols), ld_left = static_cast<int>(left.ld), ld_right = static_cast<int>(right.ld),
            ld_c = static_cast<int>(leading(c));
  const int64_t work = c.rows * c.cols * a.cols;
  const Grid whole{{c.rows, tile_rows}, {c.cols, tile_columns}};
  const Grid grid =
      work > 2 * block_product ? split(whole, a.cols, std::min<int64_t>(num_threads(), work / block_product), blas.cut_columns) : whole;
  parallel_for(grid.down.parts * grid.across.parts, 1, [&](int64_t begin, int64_t end) {
    const VendorStaysAlone alone(work);
    for (int64_t block = begin; block < end; ++block) {
      const int64_t part_down = block / grid.across.parts, part_across = block % grid.across.parts;
      const int64_t row = grid.down.at(part_down), col = grid.across.at(part_across);
      const int m = static_cast<int>(grid.down.at(part_down + 1) - row), n = static_cast<int>(grid.across.at(part_across + 1) - col);
      const T* const a_block = left.data + row * (left.trans == 'N' ? left.ld : 1);
      const T* const b_block = right.data + col * (right.trans == 'N' ? 1 : right.ld);
      blas.gemm(&right.trans, &left.trans, &n, &m, &k, &alpha, b_block, &ld_right, a_block, &ld_left, &beta, &c.at(row, col), &ld_c);
    }
  });
}

template <class T> void vendor_gemm_any_result(const BlasRoutines<T>& blas, T alpha, const MatrixView<const T>& a,
                                               const MatrixView<const T>& b, T beta, const MatrixView<T>& c) {
  if (rows_are_contiguous(c)) return vendor_gemm(blas, alpha, a, b, beta, c);
  if (rows_are_contiguous(c.transposed())) return vendor_gemm(blas, alpha, b.transposed(), a.transposed(), beta, c.transposed());
  const auto buffer = std::make_unique_for_overwrite<T[]>(static_cast<size_t>(c.rows * c.cols));
  const MatrixView<T> product{buffer.get(), c.rows, c.cols, c.cols, 1};
  vendor_gemm(blas, alpha, a, b, T(0), product);
  for (int64_t i = 0; i < c.rows; ++i)
    for (int64_t j = 0; j < c.cols; ++j) c.at(i, j) = combine<T>(T(1), product.at(i, j), beta, c.at(i, j));
}

struct Widened {
  std::unique_ptr<float[]> elements;
  MatrixView<const float> matrix;
};

// A matrix of 16-bit floats, converted to float32, with contiguous rows, or columns if those of the given one are.
template <class T> Widened widened(const MatrixView<const T>& given) {
  const bool by_columns = given.col_stride != 1 && given.row_stride == 1;
  const MatrixView<const T> m = by_columns ? given.transposed() : given;
  auto wide = std::make_unique_for_overwrite<float[]>(static_cast<size_t>(m.rows * m.cols));
  for (int64_t i = 0; i < m.rows; ++i) {
    float* row = wide.get() + i * m.cols;
    if (m.col_stride == 1) {
      widen(row, &m.at(i, 0), m.cols);
    } else {
      for (int64_t j = 0; j < m.cols; ++j) row[j] = static_cast<float>(m.at(i, j));
    }
  }
  const MatrixView<const float> matrix{wide.get(), m.rows, m.cols, m.cols, 1};
  return {std::move(wide), by_columns ? matrix.transposed() : matrix};
}

template <class T>
void gemm_through_float(float alpha, const MatrixView<const T>& a, const MatrixView<const T>& b, float beta, const MatrixView<T>& c) {
  const auto left = widened(a), right = widened(b);
  const auto product = std::make_unique_for_overwrite<float[]>(static_cast<size_t>(c.rows * c.cols));
  gemm<float>(1, left.matrix, right.matrix, 0, {product.get(), c.rows, c.cols, c.cols, 1});
  for (int64_t i = 0; i < c.rows; ++i) {
    const float* row = product.get() + i * c.cols;
    if (alpha == 1 && beta == 0 && c.col_stride == 1) {
      narrow(&c.at(i, 0), row, c.cols);
    } else {
      for (int64_t j = 0; j < c.cols; ++j) c.at(i, j) = combine<T>(alpha, row[j], beta, c.at(i, j));
    }
  }
}

// Computes a full row of c at once, in registers.
template <int Cols, class T> void tiny_rows(Compute<T> alpha, ConstMatrix<T> a, ConstMatrix<T> b, Compute<T> beta, const MatrixView<T>& c) {
  for (int64_t i = 0; i < c.rows; ++i) {
    Work<T> sums[Cols] = {};
    for (int64_t k = 0; k < a.cols; ++k) {
      const Work<T> scale = to_work(a.at(i, k));
      for (int j = 0; j < Cols; ++j) sums[j] += scale * to_work(b.at(k, j));
    }
    for (int j = 0; j < Cols; ++j) c.at(i, j) = combine<T>(alpha, sums[j], beta, c.at(i, j));
  }
}

template <class T> void tiny_gemm(Compute<T> alpha, ConstMatrix<T> a, ConstMatrix<T> b, Compute<T> beta, const MatrixView<T>& c) {
  switch (c.cols) {
    case 2:
      return tiny_rows<2>(alpha, a, b, beta, c);
    case 3:
      return tiny_rows<3>(alpha, a, b, beta, c);
    case 4:
      return tiny_rows<4>(alpha, a, b, beta, c);
    default:
      for (int64_t j = 0; j < c.cols; ++j) tiny_rows<1>(alpha, a, b.block(0, j, b.rows, 1), beta, c.block(0, j, c.rows, 1));
  }
}

template <class T> std::vector<T> gathered(const VectorView<const T>& x) {
  std::vector<T> copy(static_cast<size_t>(x.size));
  for (int64_t i = 0; i < x.size; ++i) copy[static_cast<size_t>(i)] = x.data[i * x.stride];
  return copy;
}

template <class T> bool fits_vendor(const VectorView<T>& x) { return x.stride >= 1 && x.stride <= INT_MAX; }

// A single element may have any stride, even one that BLAS would refuse.
template <class T> VectorView<T> with_sane_stride(VectorView<T> x) { return {x.data, x.size, x.size <= 1 ? 1 : x.stride}; }

// Divides outputs into runs of 64, so that a thread's first output is also the first of a group in the library's kernel. If the columns are
// contiguous, the remainder is a separate call: the kernel would start with it.
template <class T> void vendor_gemv(const BlasRoutines<T>& blas, T alpha, const MatrixView<const T>& a, const VectorView<const T>& x,
                                    T beta, const VectorView<T>& y) {
  std::unique_ptr<T[]> buffer;
  const Operand<T> matrix = operand(a, buffer);
  const int ld = static_cast<int>(matrix.ld), inc_x = static_cast<int>(x.stride), inc_y = static_cast<int>(y.stride);
  constexpr int64_t run = 64;
  const int64_t work = a.rows * a.cols, runs = (a.rows + run - 1) / run, grain = std::max<int64_t>(1, grain_of_memory / (run * a.cols));
  const auto multiply = [&](int64_t first, int64_t last) {
    const int outputs = static_cast<int>(last - first), inputs = static_cast<int>(a.cols);
    T* const out = y.data + first * y.stride;
    if (matrix.trans == 'N')  // BLAS reads the transpose
      blas.gemv("T", &inputs, &outputs, &alpha, matrix.data + first * matrix.ld, &ld, x.data, &inc_x, &beta, out, &inc_y);
    else
      blas.gemv("N", &outputs, &inputs, &alpha, matrix.data + first, &ld, x.data, &inc_x, &beta, out, &inc_y);
  };
  parallel_ranges(runs, grain, [&](int64_t begin, int64_t end) {
    const VendorStaysAlone alone(work);
    const int64_t first = begin * run, last = std::min(end * run, a.rows);
    const int64_t middle = matrix.trans == 'N' || runs <= grain ? last : last / run * run;
    if (middle > first) multiply(first, middle);
    if (last > middle) multiply(middle, last);
  });
}

template <class T>
void vendor_ger(const BlasRoutines<T>& blas, T alpha, const VectorView<const T>& x, const VectorView<const T>& y, const MatrixView<T>& a) {
  const int cols = static_cast<int>(a.cols), inc_x = static_cast<int>(x.stride), inc_y = static_cast<int>(y.stride),
            ld = static_cast<int>(leading(a));
  parallel_ranges(a.rows, std::max<int64_t>(1, grain_of_memory / a.cols), [&](int64_t begin, int64_t end) {
    const VendorStaysAlone alone((end - begin) * a.cols);
    const int rows = static_cast<int>(end - begin);
    blas.ger(&cols, &rows, &alpha, y.data, &inc_y, x.data + begin * x.stride, &inc_x, a.data + begin * a.row_stride, &ld);
  });
}

template <class T> DotResult<T> plain_dot(const VectorView<const T>& x, const VectorView<const T>& y) {
  using Sum = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
  Sum sum = 0;
  for (int64_t i = 0; i < x.size; ++i)
    sum +=
        static_cast<Sum>(static_cast<Compute<T>>(x.data[i * x.stride])) * static_cast<Sum>(static_cast<Compute<T>>(y.data[i * y.stride]));
  return static_cast<DotResult<T>>(sum);
}

template <class T> double vendor_dot(const BlasRoutines<T>& blas, const VectorView<const T>& x, const VectorView<const T>& y) {
  // A length for which OpenBLAS uses one thread, and float32 sums are exact to 6 digits: it has 32 of them and more on x86, 4 on ARM.
#if defined(__x86_64__)
  constexpr int64_t run = 4096;
#else
  constexpr int64_t run = 512;
#endif
  const int64_t runs = (x.size + run - 1) / run;
  const int inc_x = static_cast<int>(x.stride), inc_y = static_cast<int>(y.stride);
  const auto part = [&](int64_t i) {
    const int n = static_cast<int>(std::min(run, x.size - i * run));
    return static_cast<double>(blas.dot(&n, x.data + i * run * x.stride, &inc_x, y.data + i * run * y.stride, &inc_y));
  };
  double sum = 0;
  if (runs <= grain_of_memory / run) {
    for (int64_t i = 0; i < runs; ++i) sum += part(i);
    return sum;
  }
  std::vector<double> parts(static_cast<size_t>(runs));
  parallel_for(runs, grain_of_memory / run, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) parts[static_cast<size_t>(i)] = part(i);
  });
  for (const double p : parts) sum += p;
  return sum;
}

// Batches of small matrices that oneDNN multiplies faster than OpenBLAS's kernels for AVX2 (Zen 3, sides of 32 to 100: by 1.2 to 1.4; of
// 16: 0.8). It takes 17 ms to create its kernels once, which pays only for large batches.
[[maybe_unused]] bool suits_dnnl(int64_t batch, int64_t work, int64_t least_side) {
  return least_side >= 32 && work <= 2 * block_product && batch * work >= int64_t{1} << 22;
}

}  // namespace

template <class T> void gemm(Compute<T> alpha, ConstMatrix<T> a, ConstMatrix<T> b, Compute<T> beta, MatrixView<T> c) {
  const int64_t m = c.rows, n = c.cols, k = a.cols;
  if (alpha != 0 && m <= tiny_product && n <= tiny_product && k <= tiny_product && m * n * k <= tiny_product && k != 0)
    return tiny_gemm<T>(alpha, a, b, beta, c);
  if (m == 0 || n == 0) return;
  if constexpr (is_16bit_float<T>) {
    if (alpha != 0 && k != 0) return gemm_through_float<T>(alpha, a, b, beta, c);
  } else if constexpr (has_vendor<T>) {
    const auto* blas = k != 0 && alpha != 0 && fits_vendor(a) && fits_vendor(b) && fits_vendor(c) ? vendor<T>() : nullptr;
    if (blas) return vendor_gemm_any_result<T>(*blas, alpha, a, b, beta, c);
  }
  plain_gemm<T>(alpha, a, b, beta, c);
}

template <class T> void batched_gemm(int64_t batch, Compute<T> alpha, ConstMatrix<T> a, int64_t a_step, ConstMatrix<T> b, int64_t b_step,
                                     Compute<T> beta, MatrixView<T> c, int64_t c_step) {
  const auto product = [&](int64_t i) {
    auto a_i = a, b_i = b;
    auto c_i = c;
    a_i.data += i * a_step;
    b_i.data += i * b_step;
    c_i.data += i * c_step;
    gemm<T>(alpha, a_i, b_i, beta, c_i);
  };
  const int64_t work = c.rows * c.cols * std::max<int64_t>(1, a.cols);
  if constexpr (std::is_same_v<T, float> && has_vendor<T>) {
    if (suits_dnnl(batch, work, std::min({c.rows, c.cols, a.cols})) && alpha != 0 && vendor<T>() && vendor<T>()->for_avx2 &&
        dnnl_batched_gemm(batch, alpha, a, a_step, b, b_step, beta, c, c_step))
      return;
  }
  if (batch < num_threads() && work >= 2 * block_product) {  // few and large: each is divided among threads
    for (int64_t i = 0; i < batch; ++i) product(i);
    return;
  }
  constexpr int64_t grain = 1 << 18;  // multiplications per thread: 6 us of float32
  parallel_for(batch, std::max<int64_t>(1, grain / std::max<int64_t>(1, work)), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) product(i);
  });
}

template <class T> void gemv(Compute<T> alpha, ConstMatrix<T> a, ConstVector<T> x, Compute<T> beta, VectorView<T> y) {
  if constexpr (has_vendor<T>) {
    const auto in = with_sane_stride(x);
    const auto out = with_sane_stride(y);
    const bool worth = a.cols != 0 && alpha != 0 && (a.rows > tiny_product || a.cols > tiny_product || a.rows * a.cols > tiny_product);
    if (const auto* blas = worth && fits_vendor(a) && fits_vendor(out) ? vendor<T>() : nullptr) {
      if (fits_vendor(in)) return vendor_gemv<T>(*blas, alpha, a, in, beta, out);
      const auto copy = gathered(in);
      return vendor_gemv<T>(*blas, alpha, a, {copy.data(), x.size, 1}, beta, out);
    }
  }
  gemm<T>(alpha, a, {x.data, x.size, 1, x.stride, 1}, beta, {y.data, y.size, 1, y.stride, 1});
}

template <class T> void ger(Compute<T> alpha, ConstVector<T> x, ConstVector<T> y, MatrixView<T> a) {
  if (alpha == 0) return;
  if constexpr (has_vendor<T>) {
    const auto in_x = with_sane_stride(x), in_y = with_sane_stride(y);
    const bool usable =
        a.rows * a.cols > tiny_product && rows_are_contiguous(a) && fits_vendor(a) && fits_vendor(in_x) && fits_vendor(in_y);
    if (const auto* blas = usable ? vendor<T>() : nullptr) return vendor_ger<T>(*blas, alpha, in_x, in_y, a);
  }
  parallel_for(a.rows, std::max<int64_t>(1, grain_of_memory / std::max<int64_t>(1, a.cols)), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Work<T> scale = static_cast<Work<T>>(alpha) * to_work(x.data[i * x.stride]);
      T* const row = a.data + i * a.row_stride;
      if (a.col_stride == 1 && y.stride == 1) {
        for (int64_t j = 0; j < a.cols; ++j) row[j] = static_cast<T>(to_work(row[j]) + scale * to_work(y.data[j]));
      } else {
        for (int64_t j = 0; j < a.cols; ++j) {
          T& out = row[j * a.col_stride];
          out = static_cast<T>(to_work(out) + scale * to_work(y.data[j * y.stride]));
        }
      }
    }
  });
}

template <class T> DotResult<T> dot(VectorView<const T> x, VectorView<const T> y) {
  if constexpr (has_vendor<T>)
    if (x.size > tiny_product && fits_vendor(x) && fits_vendor(y))
      if (const auto* blas = vendor<T>()) return vendor_dot<T>(*blas, x, y);
  return plain_dot<T>(x, y);
}

#define MT_INSTANTIATE(T)                                                                                                         \
  template void gemm<T>(Compute<T>, ConstMatrix<T>, ConstMatrix<T>, Compute<T>, MatrixView<T>);                                   \
  template void batched_gemm<T>(int64_t, Compute<T>, ConstMatrix<T>, int64_t, ConstMatrix<T>, int64_t, Compute<T>, MatrixView<T>, \
                                int64_t);                                                                                         \
  template void gemv<T>(Compute<T>, ConstMatrix<T>, ConstVector<T>, Compute<T>, VectorView<T>);                                   \
  template void ger<T>(Compute<T>, ConstVector<T>, ConstVector<T>, MatrixView<T>);                                                \
  template DotResult<T> dot<T>(VectorView<const T>, VectorView<const T>);
MT_FOR_EACH_REAL(MT_INSTANTIATE)
#undef MT_INSTANTIATE

}  // namespace mt::cpu
