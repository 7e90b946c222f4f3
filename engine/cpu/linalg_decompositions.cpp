// The CPU's kernels of decompositions: eigenvalues, singular values, Cholesky, QR.
#include "engine/core/built.h"
#include "engine/ops/decompositions.h"

#include "engine/cpu/matrix_batch.h"
#include "engine/cpu/register.h"

namespace mt {
#include "engine/ops/linalg-inl.h"

namespace cpu {
namespace {

void run_symmetric_eigen(const SymmetricEigenPlan& plan) {
  with_lapack(plan.a.dtype(), [&]<class T>(const Lapack<T>& lapack) {
    const Batch<T> a(plan.a);
    const int64_t n = a.rows();
    if (!all_finite(a, plan.failure)) return;
    each(a.count(), 4 * n * n * n, plan.failure,
         [&](int64_t i) { return lapack.symmetric_eigen(plan.vectors, plan.upper, n, a[i], vector_at<Part<T>>(plan.values, i)); });
  });
}

void run_eigen(const EigenPlan& plan) {
  with_lapack(plan.a.dtype(), [&]<class T>(const Lapack<T>& lapack) {
    const Batch<T> a(plan.a);
    const int64_t n = a.rows();
    const bool wanted = plan.vectors.dim() > 0;
    const Tensor parts = Tensor::empty(dtype_of<Part<T>>, {a.count(), 2 * n});
    if (!all_finite(a, plan.failure)) return;
    each(a.count(), 10 * n * n * n, plan.failure, [&](int64_t i) {
      Part<T>*const real = vector_at<Part<T>>(parts, i), *const imaginary = real + n;
      const int info = lapack.eigen(wanted, n, a[i], real, imaginary, wanted ? Batch<T>(plan.vectors)[i] : nullptr);
      Part<T>* const values = plan.values.data<Part<T>>() + i * 2 * n;
      for (int64_t k = 0; k < n; ++k) {
        values[2 * k] = real[k];
        values[2 * k + 1] = imaginary[k];
      }
      return info;
    });
  });
}

void run_schur(const SchurPlan& plan) {
  with_lapack(plan.a.dtype(), [&]<class T>(const Lapack<T>& lapack) {
    const Batch<T> a(plan.a), z(plan.z);
    const int64_t n = a.rows();
    if (!all_finite(a, plan.failure)) return;
    each(a.count(), 10 * n * n * n, plan.failure, [&](int64_t i) { return lapack.schur(n, a[i], z[i]); });
  });
}

template <class T> void set_identity(const Batch<T>& batch) {
  const int64_t n = batch.rows();
  for (int64_t m = 0; m < batch.count(); ++m)
    for (int64_t i = 0; i < n * n; ++i) batch[m][i] = i % (n + 1) == 0 ? T(1) : T(0);
}

void run_singular(const SingularPlan& plan) {
  with_lapack(plan.a.dtype(), [&]<class T>(const Lapack<T>& lapack) {
    const Batch<T> a(plan.a), u(plan.u), v(plan.v);
    const int64_t m = a.rows(), n = a.cols(), k = std::min(m, n);
    if (k == 0) {  // any basis will do
      set_identity(u);
      set_identity(v);
      return;
    }
    if (!all_finite(a, plan.failure)) return;
    const Vectors wanted = plan.full ? Vectors::full : Vectors::thin;
    each(a.count(), 8 * m * n * k, plan.failure, [&](int64_t i) {
      const int info = lapack.singular(wanted, m, n, a[i], vector_at<Part<T>>(plan.s, i), u[i], v[i]);
      if constexpr (!std::is_same_v<T, Part<T>>) std::for_each(v[i], v[i] + v.rows() * v.cols(), [](T& x) { x = conjugate(x); });
      return info;
    });
  });
}

// Moves the transposed lower half of a matrix to the upper one, or the reverse, and leaves zeros. In tiles, to use each cache line
// fully.
template <class T> void move_half(bool to_upper, int64_t n, T* a) {
  constexpr int64_t tile = 64 / static_cast<int64_t>(sizeof(T));
  for (int64_t col = 0; col < n; col += tile) {
    for (int64_t row = col; row < n; row += tile) {
      const int64_t from_col = to_upper ? col : row, from_row = to_upper ? row : col;
      if (row > col && row + tile <= n) {
        T block[tile][tile];
        for (int64_t j = 0; j < tile; ++j) {
          T* const from = a + from_row + (from_col + j) * n;
          for (int64_t i = 0; i < tile; ++i) block[i][j] = std::exchange(from[i], T(0));
        }
        for (int64_t i = 0; i < tile; ++i) std::copy_n(block[i], tile, a + from_col + (from_row + i) * n);
        continue;
      }
      for (int64_t j = col; j < std::min(n, col + tile); ++j) {
        for (int64_t i = std::max(j + 1, row); i < std::min(n, row + tile); ++i) {
          T &below = a[i + j * n], &above = a[j + i * n];
          (to_upper ? above : below) = std::exchange(to_upper ? below : above, T(0));
        }
      }
    }
  }
}

// OpenBLAS computes lower factors twice as fast as upper ones (512 doubles: 1.4 and 3.0 ms): so the input is moved to the lower half if it
// is not there already, and an upper factor is moved back. The lower half moved from a Hermitian matrix is the conjugate of its own; so is
// the factor, whose transpose is then the upper one.
void run_cholesky(const CholeskyPlan& plan) {
  with_lapack(plan.a.dtype(), [&]<class T>(const Lapack<T>& lapack) {
    const Batch<T> a(plan.a);
    const int64_t n = a.rows();
    const bool below = plan.upper == plan.row_major;  // for LAPACK, the lower half is the one to read
    each(a.count(), n * n * n / 6, plan.failure, [&](int64_t i) {
      if (!below) move_half(false, n, a[i]);
      const int info = lapack.cholesky(false, n, a[i]);
      if (plan.upper)
        move_half(true, n, a[i]);
      else if (below)
        clear_other_half(false, n, n, a[i]);
      return info;
    });
  });
}

void run_cholesky_solve(const CholeskySolvePlan& plan) {
  with_lapack(plan.factor.dtype(), [&]<class T>(const Lapack<T>& lapack) {
    const Batch<T> factor(plan.factor), x(plan.x);
    const int64_t n = x.rows(), k = x.cols();
    each(x.count(), 2 * n * n * k, [&](int64_t i) { lapack.cholesky_solve(plan.upper, n, k, factor[i], x[i]); });
  });
}

template <class T> void mirror(bool upper, int64_t n, T* a) {
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < j; ++i) (upper ? a[j + i * n] : a[i + j * n]) = conjugate(upper ? a[i + j * n] : a[j + i * n]);
}

void run_cholesky_inverse(const CholeskyInversePlan& plan) {
  with_lapack(plan.a.dtype(), [&]<class T>(const Lapack<T>& lapack) {
    const Batch<T> a(plan.a);
    const int64_t n = a.rows();
    each(a.count(), n * n * n, plan.failure, [&](int64_t i) {
      const int info = lapack.cholesky_inverse(plan.upper, n, a[i]);
      mirror(plan.upper, n, a[i]);
      clear_signs_of_zeros(n, a[i]);
      return info;
    });
  });
}

void run_pivoted_cholesky(const PivotedCholeskyPlan& plan) {
  with_lapack(plan.a.dtype(), [&]<class T>(const Lapack<T>& lapack) {
    const Batch<T> a(plan.a);
    const int64_t n = a.rows();
    each(a.count(), n * n * n / 6, plan.failure, [&](int64_t i) {
      const int info = lapack.pivoted_cholesky(plan.upper, n, a[i], vector_at<int32_t>(plan.pivots, i), plan.tolerance);
      clear_other_half(plan.upper, n, n, a[i]);
      return info;
    });
  });
}

void run_qr(const QrPlan& plan) {
  with_lapack(plan.a.dtype(), [&]<class T>(const Lapack<T>& lapack) {
    const Batch<T> a(plan.a), q(plan.q), r(plan.r);
    const int64_t m = a.rows(), n = a.cols(), k = std::min(m, n);
    const Tensor taus = Tensor::empty(plan.a.dtype(), {a.count(), k});
    each(a.count(), 4 * m * n * k, [&](int64_t i) {
      T *const factors = a[i], *const upper = r[i], *const tau = vector_at<T>(taus, i);
      lapack.qr(m, n, factors, tau);
      for (int64_t row = 0; row < k; ++row)
        for (int64_t col = 0; col < n; ++col) upper[row * n + col] = row <= col ? factors[row + col * m] : T(0);
      std::copy_n(factors, m * k, q[i]);
      lapack.qr_basis(m, k, k, q[i], tau);
    });
  });
}

void run_qr_factors(const QrFactorsPlan& plan) {
  with_lapack(plan.a.dtype(), [&]<class T>(const Lapack<T>& lapack) {
    const Batch<T> a(plan.a);
    const int64_t m = a.rows(), n = a.cols();
    each(a.count(), 2 * m * n * std::min(m, n), [&](int64_t i) { lapack.qr(m, n, a[i], vector_at<T>(plan.tau, i)); });
  });
}

void run_qr_basis(const QrBasisPlan& plan) {
  with_lapack(plan.q.dtype(), [&]<class T>(const Lapack<T>& lapack) {
    const Batch<T> q(plan.q);
    const int64_t m = q.rows(), k = q.cols();
    each(q.count(), 2 * m * k * k, [&](int64_t i) { lapack.qr_basis(m, k, k, q[i], vector_at<T>(plan.tau, i)); });
  });
}

void run_qr_multiply(const QrMultiplyPlan& plan) {
  with_lapack(plan.c.dtype(), [&]<class T>(const Lapack<T>& lapack) {
    const Batch<T> reflectors(plan.reflectors), c(plan.c);
    const int64_t m = c.rows(), n = c.cols(), k = plan.tau.size(plan.tau.dim() - 1);
    each(c.count(), 2 * m * n * k, [&](int64_t i) {
      lapack.qr_multiply(plan.left, plan.transposed, m, n, k, reflectors.rows(), reflectors[i], vector_at<T>(plan.tau, i), c[i]);
    });
  });
}

template <class Op> constexpr Kernel kernel_of();
template <> constexpr Kernel kernel_of<Symeig>() { return kernel<&run_symmetric_eigen>(); }
template <> constexpr Kernel kernel_of<Eig>() { return kernel<&run_eigen>(); }
template <> constexpr Kernel kernel_of<Schur>() { return kernel<&run_schur>(); }
template <> constexpr Kernel kernel_of<Svd>() { return kernel<&run_singular>(); }
template <> constexpr Kernel kernel_of<Potrf>() { return kernel<&run_cholesky>(); }
template <> constexpr Kernel kernel_of<Cholesky>() { return kernel<&run_cholesky>(); }
template <> constexpr Kernel kernel_of<Potrs>() { return kernel<&run_cholesky_solve>(); }
template <> constexpr Kernel kernel_of<Potri>() { return kernel<&run_cholesky_inverse>(); }
template <> constexpr Kernel kernel_of<Pstrf>() { return kernel<&run_pivoted_cholesky>(); }
template <> constexpr Kernel kernel_of<Qr>() { return kernel<&run_qr>(); }
template <> constexpr Kernel kernel_of<Geqrf>() { return kernel<&run_qr_factors>(); }
template <> constexpr Kernel kernel_of<Orgqr>() { return kernel<&run_qr_basis>(); }
template <> constexpr Kernel kernel_of<Ormqr>() { return kernel<&run_qr_multiply>(); }

template <class... Op> std::span<const Row> rows_of(List<Op...>) {
  static constexpr Row rows[] = {{&Op::decl, &Op::plan, kernel_of<Op>()}...};
  return built_rows<rows>();
}

}  // namespace

std::span<const Row> linalg_decompositions_rows() { return rows_of(DecompositionOps()); }

}  // namespace cpu
}  // namespace mt
