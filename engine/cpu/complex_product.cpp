#include "engine/cpu/complex_product.h"

#include <algorithm>
#include <climits>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/cpu/elements.h"
#include "engine/cpu/iterate.h"
#ifndef MT_WITHOUT_BLAS
#include "engine/cpu/vendor_alone.h"
#include "engine/cpu/vendor_blas.h"
#endif

namespace mt::cpu {
namespace {

template <class T> MatrixView<T> view_of(const Matrices& m) {
  return {reinterpret_cast<T*>(m.data.data()), m.rows, m.cols, m.row_stride, m.col_stride};
}

template <class T>
void plain_product(T alpha, MatrixView<const T> a, MatrixView<const T> b, T beta, MatrixView<T> c, int64_t first_row, int64_t last_row) {
  std::vector<T> sums(static_cast<size_t>(c.cols));
  for (int64_t i = first_row; i < last_row; ++i) {
    std::fill(sums.begin(), sums.end(), T(0));
    for (int64_t k = 0; k < a.cols; ++k) {
      const T factor = a.at(i, k);
      for (int64_t j = 0; j < c.cols; ++j) sums[static_cast<size_t>(j)] += factor * b.at(k, j);
    }
    for (int64_t j = 0; j < c.cols; ++j) {
      T& to = c.at(i, j);
      const T product = alpha * sums[static_cast<size_t>(j)];
      to = beta == T(0) ? product : beta * to + product;
    }
  }
}

#ifndef MT_WITHOUT_BLAS
// BLAS's own, column-major function.
template <class T> using GemmFn = void (*)(const char* trans_a, const char* trans_b, const int* m, const int* n, const int* k,
                                           const T* alpha, const T* a, const int* lda, const T* b, const int* ldb, const T* beta, T* c,
                                           const int* ldc);

template <class T> GemmFn<T> vendor_gemm() {
  static const auto found = reinterpret_cast<GemmFn<T>>(vendor_function(sizeof(T) == 8 ? "cgemm_" : "zgemm_"));
  return found;
}

template <class T> using GemvFn = void (*)(const char* trans, const int* m, const int* n, const T* alpha, const T* a, const int* lda,
                                           const T* x, const int* incx, const T* beta, T* y, const int* incy);

template <class T> GemvFn<T> vendor_gemv() {
  static const auto found = reinterpret_cast<GemvFn<T>>(vendor_function(sizeof(T) == 8 ? "cgemv_" : "zgemv_"));
  return found;
}

// An operand that BLAS can read: a row-major matrix with adjacent columns, or the transpose of one.
template <class T> class Readable {
 public:
  explicit Readable(MatrixView<const T> m) : copy_(needs_copy(m) ? m.rows * m.cols : 0), view_(m) {
    if (!needs_copy(m)) return;
    for (int64_t i = 0; i < m.rows; ++i)
      for (int64_t j = 0; j < m.cols; ++j) copy_.data()[i * m.cols + j] = m.at(i, j);
    view_ = {copy_.data(), m.rows, m.cols, m.cols, 1};
  }
  const T* data() const { return view_.data; }
  // In BLAS's order of columns, in which a row-major matrix is its transpose.
  const char* trans() const { return is_row_major(view_) ? "N" : "T"; }
  int step() const {
    return static_cast<int>(
        std::max<int64_t>(1, is_row_major(view_) ? std::max(view_.row_stride, view_.cols) : std::max(view_.col_stride, view_.rows)));
  }
  const T* row(int64_t i) const { return view_.data + i * view_.row_stride; }
  bool is_row_major() const { return is_row_major(view_); }

 private:
  static bool is_row_major(MatrixView<const T> m) {
    return m.col_stride == 1 && (m.rows <= 1 || (m.row_stride >= m.cols && m.row_stride <= INT_MAX));
  }
  static bool is_column_major(MatrixView<const T> m) {
    return m.row_stride == 1 && (m.cols <= 1 || (m.col_stride >= m.rows && m.col_stride <= INT_MAX));
  }
  static bool needs_copy(MatrixView<const T> m) { return !is_row_major(m) && !is_column_major(m); }

  Elements<T> copy_;
  MatrixView<const T> view_;
};

// c = beta c + alpha a b for a row-major c.
template <class T> void vendor_product(GemmFn<T> gemm, T alpha, MatrixView<const T> a, MatrixView<const T> b, T beta, MatrixView<T> c) {
  const Readable<T> left(a), right(b);
  const int n = static_cast<int>(c.cols), k = static_cast<int>(a.cols), left_step = left.step(), right_step = right.step();
  const int c_step = static_cast<int>(std::max<int64_t>(c.row_stride, std::max<int64_t>(1, c.cols)));
  // So many rows of the result are one task: the bits don't depend on the number of threads. BLAS packs the right operand for each task.
  constexpr int64_t fewest_rows = 64, most_tasks = 4;
  const int64_t rows_together = std::max(fewest_rows, (c.rows / most_tasks + 15) / 16 * 16);
  constexpr int64_t least_work = 1 << 18;
  const int64_t blocks = (c.rows + rows_together - 1) / rows_together;
  const int64_t work = std::max<int64_t>(1, rows_together * c.cols * a.cols);
  parallel_for(blocks, std::max<int64_t>(1, least_work / work), [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) {
      const int64_t first = block * rows_together;
      const int m = static_cast<int>(std::min(rows_together, c.rows - first));
      const VendorStaysAlone alone(work);
      gemm(right.trans(), left.trans(), &n, &m, &k, &alpha, right.data(), &right_step, left.row(first), &left_step, &beta,
           c.data + first * c.row_stride, &c_step);
    }
  });
}

// c = beta c + alpha a b for columns b and c: as a product of matrices it would take three times as long.
template <class T>
void vendor_matrix_vector(GemvFn<T> gemv, T alpha, MatrixView<const T> a, MatrixView<const T> b, T beta, MatrixView<T> c) {
  const Readable<T> matrix(a);
  const bool is_readable = b.rows <= 1 || (b.row_stride >= 1 && b.row_stride <= INT_MAX);
  const Elements<T> copy(is_readable ? 0 : b.rows);
  for (int64_t i = 0; !is_readable && i < b.rows; ++i) copy.data()[i] = b.at(i, 0);
  const T* const vector = is_readable ? b.data : copy.data();
  const int inputs = static_cast<int>(a.cols), step = matrix.step(),
            b_step = is_readable && b.rows > 1 ? static_cast<int>(b.row_stride) : 1,
            c_step = c.rows > 1 ? static_cast<int>(c.row_stride) : 1;
  if (beta == T(0))  // BLAS may read the result
    for (int64_t i = 0; i < c.rows; ++i) c.at(i, 0) = T(0);
  constexpr int64_t rows_together = 64, least_work = 1 << 16;
  const int64_t blocks = (c.rows + rows_together - 1) / rows_together, work = rows_together * a.cols;
  parallel_for(blocks, std::max<int64_t>(1, least_work / work), [&](int64_t begin, int64_t end) {
    const VendorStaysAlone alone((end - begin) * work);
    for (int64_t block = begin; block < end; ++block) {
      const int64_t first = block * rows_together;
      const int outputs = static_cast<int>(std::min(rows_together, c.rows - first));
      T* const out = c.data + first * c.row_stride;
      if (matrix.is_row_major())  // BLAS reads the transpose
        gemv("T", &inputs, &outputs, &alpha, matrix.row(first), &step, vector, &b_step, &beta, out, &c_step);
      else
        gemv("N", &outputs, &inputs, &alpha, matrix.row(first), &step, vector, &b_step, &beta, out, &c_step);
    }
  });
}
#endif

template <class T> void product(T alpha, MatrixView<const T> a, MatrixView<const T> b, T beta, MatrixView<T> c) {
#ifndef MT_WITHOUT_BLAS
  const bool is_row = c.rows == 1 && c.cols > 1, has_columns = c.cols > 1 && c.col_stride != 1 && c.row_stride == 1;
  if (is_row || has_columns) return product<T>(alpha, b.transposed(), a.transposed(), beta, c.transposed());
  const bool fits = std::max({c.rows, c.cols, a.cols, c.row_stride}) <= INT_MAX && c.col_stride == 1 && a.cols > 0 &&
                    (c.rows <= 1 || c.row_stride >= c.cols);
  constexpr int64_t few = 64;  // products, for which a call costs more
  const bool is_vector = c.cols == 1 && std::max({c.rows, a.cols, c.row_stride}) <= INT_MAX && (c.rows <= 1 || c.row_stride >= 1);
  if (const GemvFn<T> gemv = is_vector && c.rows * a.cols > few ? vendor_gemv<T>() : nullptr)
    return vendor_matrix_vector(gemv, alpha, a, b, beta, c);
  if (const GemmFn<T> gemm = fits && c.rows * c.cols * a.cols > few ? vendor_gemm<T>() : nullptr)
    return vendor_product(gemm, alpha, a, b, beta, c);
#endif
  constexpr int64_t grain = 1 << 14;
  parallel_for(c.rows, std::max<int64_t>(1, grain / std::max<int64_t>(1, c.cols * a.cols)),
               [&](int64_t begin, int64_t end) { plain_product(alpha, a, b, beta, c, begin, end); });
}

}  // namespace

template <class T> void multiply_complex(const ProductPlan& plan) {
  const T alpha(Complex<double>(plan.alpha.as_double(), plan.alpha_imaginary)),
      beta(Complex<double>(plan.beta.as_double(), plan.beta_imaginary));
  const auto one = [&](const Matrices& a, const Matrices& b, const Matrices& out) {
    product<T>(alpha, view_of<const T>(a), view_of<const T>(b), beta, view_of<T>(out));
  };
  if (plan.batches) {
    iterate(plan.batches, 0, plan.batches.numel(), [&](std::byte** at, const int64_t* strides, int64_t n) {
      Matrices each[] = {plan.out, plan.a, plan.b};
      for (int64_t i = 0; i < n; ++i) {
        for (int k = 0; k < 3; ++k) each[k].data = at[k] + i * strides[k];
        one(each[1], each[2], each[0]);
      }
    });
    return;
  }
  Matrices a = plan.a, b = plan.b, out = plan.out;
  for (int64_t i = 0; i < plan.batch; ++i) {
    one(a, b, out);
    for (Matrices* m : {&a, &b, &out}) m->data += m->step * static_cast<int64_t>(sizeof(T));
  }
}

template <class T> Complex<double> complex_dot(VectorView<const T> x, VectorView<const T> y) {
  Complex<double> sum(0);
  for (int64_t i = 0; i < x.size; ++i) sum += Complex<double>(x.data[i * x.stride]) * Complex<double>(y.data[i * y.stride]);
  return sum;
}

template void multiply_complex<Complex<float>>(const ProductPlan&);
template void multiply_complex<Complex<double>>(const ProductPlan&);
template Complex<double> complex_dot(VectorView<const Complex<float>>, VectorView<const Complex<float>>);
template Complex<double> complex_dot(VectorView<const Complex<double>>, VectorView<const Complex<double>>);

}  // namespace mt::cpu
