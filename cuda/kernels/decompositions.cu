// Eigenvalues, singular values, Cholesky and QR by the vendor's library (cuda/vendor/solver.h). If a plan reports which matrix failed, the
// call waits for the device. The CPU's kernels compute eig, schur and pstrf, which cuSOLVER lacks, and ops of complex matrices
// (cuda/kernels/on_host.h).
#include "engine/ops/decompositions.h"

#include <cmath>

#include "cuda/kernels/matrices.h"
#include "cuda/kernels/on_host.h"
#include "cuda/kernels/register.h"
#include "cuda/vendor/blas.h"
#include "cuda/vendor/solver.h"

namespace mt::cuda {
namespace {

template <class T> struct FiniteKernel {
  const T* x;
  int64_t n;
  uint32_t* found;
  MT_DEVICE void operator()(Thread& t) const {
    bool any = false;
    for (int64_t i = t.global_index(); i < n; i += t.global_threads()) any = any || !std::isfinite(x[i]);
    if (any) atomic_or(found, 1u);
  }
};

// Whether all elements are finite, so that iterations end; otherwise sets the failure. Waits for the device.
template <class T> bool all_finite(Stream stream, const MatrixBatch<T>& a, MatrixFailure& failure) {
  const Scratch<uint32_t> found(stream, 1);
  driver::set_bytes(stream, found.address(), 0, sizeof(uint32_t));
  const int64_t n = a.count * a.rows * a.cols;
  launch_each(stream, n, FiniteKernel<T>{driver::reachable(a.data), n, found.data()});
  uint32_t any = 0;
  driver::copy_to_host(stream, &any, found.address(), sizeof any);
  if (any != 0) failure.info = MatrixFailure::not_finite;
  return any == 0;
}

void run_symmetric_eigen(const SymmetricEigenPlan& plan) {
  if (ran_on_host("symeig", plan.a, plan)) return;
  by_precision(plan.a.dtype(), [&]<class T>(std::type_identity<T>) {
    const Stream stream = op_stream();
    const MatrixBatch<T> a(plan.a);
    if (!all_finite(stream, a, plan.failure)) return;
    const Infos infos(stream, a.count);
    solver::symmetric_eigen(stream, a.count, plan.vectors, plan.upper, a.rows, a.data, plan.values.data<T>(), infos.address());
    infos.tell(plan.failure);
  });
}

void run_singular(const SingularPlan& plan) {
  if (ran_on_host("svd", plan.a, plan)) return;
  by_precision(plan.a.dtype(), [&]<class T>(std::type_identity<T>) {
    const Stream stream = op_stream();
    const MatrixBatch<T> a(plan.a), u(plan.u), v(plan.v);
    if (a.rows == 0 || a.cols == 0) {  // any basis is correct
      each_element(stream, u.count, u.rows, u.cols, SetIdentity<T>{by_columns(u)});
      each_element(stream, v.count, v.rows, v.cols, SetIdentity<T>{by_columns(v)});
      return;
    }
    if (!all_finite(stream, a, plan.failure)) return;
    const Infos infos(stream, a.count);
    const Scratch<T> turned(stream, a.count * v.rows * v.cols);
    T* const own_v = static_cast<T*>(turned.address());
    solver::singular(stream, a.count, plan.full, a.rows, a.cols, a.data, plan.s.data<T>(), u.data, own_v, infos.address());
    move(stream, a.count, v.rows, v.cols, by_rows(v.data, v.rows, v.cols), by_columns(own_v, v.rows, v.cols));
    infos.tell(plan.failure);
  });
}

// Moves the half below the diagonal above it, or the reverse, and leaves zeros.
template <class T> struct MoveHalf {
  Places<T> a;
  bool to_upper;
  MT_DEVICE void operator()(int64_t matrix, int64_t row, int64_t col) const {
    if (row <= col) return;
    T &below = a.at(matrix, row, col), &above = a.at(matrix, col, row);
    (to_upper ? above : below) = to_upper ? below : above;
    (to_upper ? below : above) = T(0);
  }
};

void run_cholesky(const CholeskyPlan& plan) {
  if (ran_on_host("potrf", plan.a, plan)) return;
  by_precision(plan.a.dtype(), [&]<class T>(std::type_identity<T>) {
    const Stream stream = op_stream();
    const MatrixBatch<T> a(plan.a);
    const int64_t n = a.rows;
    const Infos infos(stream, a.count);
    const bool lies_above = plan.upper != plan.row_major;  // in the library's column-major view of the half that is read
    solver::cholesky(stream, a.count, lies_above, n, a.data, infos.address());
    const Places<T> all = by_columns(a.data, n, n);
    if (plan.row_major)
      each_element(stream, a.count, n, n, MoveHalf<T>{all, plan.upper});
    else
      move(stream, a.count, n, n, all, all, plan.upper ? Part::upper : Part::lower);
    infos.tell(plan.failure);
  });
}

// Replaces x by the solutions for the matrix with this Cholesky factor.
template <class T> void solve_by_factor(Stream stream, int64_t count, bool upper, int64_t n, int64_t k, const T* factor, T* x) {
  for (const bool transposed : {upper, !upper})
    blas::solve_triangular(stream, {dtype_of<T>, upper, transposed, false, n, k, count, factor, x});
}

void run_cholesky_solve(const CholeskySolvePlan& plan) {
  if (ran_on_host("potrs", plan.factor, plan)) return;
  by_precision(plan.factor.dtype(), [&]<class T>(std::type_identity<T>) {
    const MatrixBatch<T> factor(plan.factor), x(plan.x);
    solve_by_factor(op_stream(), x.count, plan.upper, x.rows, x.cols, factor.data, x.data);
  });
}

// Copies one half of a symmetric matrix to both halves, without negative zeros.
template <class T> struct Mirror {
  Places<T> to, from;
  bool upper;
  MT_DEVICE void operator()(int64_t matrix, int64_t row, int64_t col) const {
    const bool there = upper ? row <= col : row >= col;
    to.at(matrix, row, col) = (there ? from.at(matrix, row, col) : from.at(matrix, col, row)) + T(0);
  }
};

void run_cholesky_inverse(const CholeskyInversePlan& plan) {
  if (ran_on_host("potri", plan.a, plan)) return;
  by_precision(plan.a.dtype(), [&]<class T>(std::type_identity<T>) {
    const Stream stream = op_stream();
    const MatrixBatch<T> a(plan.a);
    const int64_t n = a.rows;
    const Infos infos(stream, a.count);
    const Scratch<T> inverse(stream, a.count * n * n);
    T* const own = static_cast<T*>(inverse.address());
    find_zero_pivots(stream, a.count, n, by_columns(a), infos);
    each_element(stream, a.count, n, n, SetIdentity<T>{by_columns(own, n, n)});
    solve_by_factor<T>(stream, a.count, plan.upper, n, n, a.data, own);
    each_element(stream, a.count, n, n, Mirror<T>{by_columns(a), by_columns(own, n, n), plan.upper});
    infos.tell(plan.failure);
  });
}

void run_qr(const QrPlan& plan) {
  if (ran_on_host("qr", plan.a, plan)) return;
  by_precision(plan.a.dtype(), [&]<class T>(std::type_identity<T>) {
    const Stream stream = op_stream();
    const MatrixBatch<T> a(plan.a), q(plan.q), r(plan.r);
    const int64_t k = q.cols;
    const Scratch<T> tau(stream, a.count * k);
    T* const own_tau = static_cast<T*>(tau.address());
    solver::qr(stream, a.count, a.rows, a.cols, a.data, own_tau);
    move(stream, a.count, k, r.cols, by_rows(r.data, k, r.cols), by_columns(a), Part::upper);
    move(stream, a.count, q.rows, k, by_columns(q), by_columns(a));
    solver::qr_basis<T>(stream, a.count, q.rows, k, q.data, own_tau);
  });
}

void run_qr_factors(const QrFactorsPlan& plan) {
  if (ran_on_host("geqrf", plan.a, plan)) return;
  by_precision(plan.a.dtype(), [&]<class T>(std::type_identity<T>) {
    const MatrixBatch<T> a(plan.a);
    solver::qr(op_stream(), a.count, a.rows, a.cols, a.data, plan.tau.data<T>());
  });
}

void run_qr_basis(const QrBasisPlan& plan) {
  if (ran_on_host("orgqr", plan.q, plan)) return;
  by_precision(plan.q.dtype(), [&]<class T>(std::type_identity<T>) {
    const MatrixBatch<T> q(plan.q);
    solver::qr_basis<T>(op_stream(), q.count, q.rows, q.cols, q.data, plan.tau.data<T>());
  });
}

void run_qr_multiply(const QrMultiplyPlan& plan) {
  if (ran_on_host("ormqr", plan.c, plan)) return;
  by_precision(plan.c.dtype(), [&]<class T>(std::type_identity<T>) {
    const MatrixBatch<T> reflectors(plan.reflectors), c(plan.c);
    const int64_t k = plan.tau.size(plan.tau.dim() - 1);
    solver::qr_multiply<T>(op_stream(), c.count, {plan.left, plan.transposed, reflectors.rows, reflectors.cols, k}, c.rows, c.cols,
                           reflectors.data, plan.tau.data<T>(), c.data);
  });
}

void run_eigen(const EigenPlan& plan) { run_on_host("eig", plan); }

void run_schur(const SchurPlan& plan) { run_on_host("schur", plan); }

void run_pivoted_cholesky(const PivotedCholeskyPlan& plan) { run_on_host("pstrf", plan); }

}  // namespace

KernelRows decompositions_rows() {
  static constexpr KernelRow rows[] = {{"symeig", kernel<&run_symmetric_eigen>()},
                                       {"eig", kernel<&run_eigen>()},
                                       {"schur", kernel<&run_schur>()},
                                       {"svd", kernel<&run_singular>()},
                                       {"potrf", kernel<&run_cholesky>()},
                                       {"cholesky", kernel<&run_cholesky>()},
                                       {"potrs", kernel<&run_cholesky_solve>()},
                                       {"potri", kernel<&run_cholesky_inverse>()},
                                       {"pstrf", kernel<&run_pivoted_cholesky>()},
                                       {"qr", kernel<&run_qr>()},
                                       {"geqrf", kernel<&run_qr_factors>()},
                                       {"orgqr", kernel<&run_qr_basis>()},
                                       {"ormqr", kernel<&run_qr_multiply>()}};
  return rows;
}

}  // namespace mt::cuda
