// Linear systems, inverses and determinants by the vendor's LU and QR factors (cuda/vendor/solver.h). If a plan reports which matrix
// failed, the call waits for the device. Complex matrices are the CPU's (cuda/kernels/on_host.h).
#include <cmath>

#include "cuda/kernels/matrices.h"
#include "cuda/kernels/on_host.h"
#include "cuda/kernels/register.h"
#include "cuda/vendor/blas.h"
#include "cuda/vendor/solver.h"

namespace mt::cuda {
namespace {

int32_t* pivots_of(const Scratch<int32_t>& memory) { return static_cast<int32_t*>(memory.address()); }

void run_solve(const SolvePlan& plan) {
  if (ran_on_host("gesv", plan.a, plan)) return;
  by_precision(plan.a.dtype(), [&]<class T>(std::type_identity<T>) {
    const Stream stream = op_stream();
    const MatrixBatch<T> a(plan.a), x(plan.x);
    const Scratch<int32_t> pivots(stream, a.count * a.rows);
    const Infos infos(stream, a.count);
    solver::lu(stream, a.count, a.rows, a.rows, a.data, pivots_of(pivots), infos.address());
    if (x.cols > 0) solver::lu_solve(stream, a.count, plan.row_major, a.rows, x.cols, a.data, pivots_of(pivots), x.data);
    infos.tell(plan.failure);
  });
}

template <class T> blas::TriangularSolve triangular(const Triangle& triangle, int64_t count, int64_t n, int64_t k, const T* a, T* x) {
  return {dtype_of<T>, triangle.upper, triangle.transposed, triangle.unit, n, k, count, a, x};
}

void run_triangular_solve(const TriangularSolvePlan& plan) {
  if (ran_on_host("trtrs", plan.a, plan)) return;
  by_precision(plan.a.dtype(), [&]<class T>(std::type_identity<T>) {
    const Stream stream = op_stream();
    const MatrixBatch<T> a(plan.a), x(plan.x);
    const Infos infos(stream, a.count);
    if (!plan.triangle.unit) find_zero_pivots(stream, a.count, a.rows, by_columns(a), infos);
    blas::solve_triangular(stream, triangular(plan.triangle, a.count, a.rows, x.cols, a.data, x.data));
    if (!plan.triangle.unit) infos.tell(plan.failure);
  });
}

template <class T> struct PadWithZeros {
  Places<T> to;
  Places<T> from;
  int64_t rows;  // of `from`
  MT_DEVICE void operator()(int64_t matrix, int64_t row, int64_t col) const {
    to.at(matrix, row, col) = row < rows ? from.at(matrix, row, col) : T(0);
  }
};

// For a tall matrix by its QR factors: x = R^-1 Q' b. For a wide matrix by those of its transpose, a' = Q R: the shortest x is Q R'^-1 b.
void run_least_squares(const LeastSquaresPlan& plan) {
  if (ran_on_host("gels", plan.a, plan)) return;
  by_precision(plan.a.dtype(), [&]<class T>(std::type_identity<T>) {
    const Stream stream = op_stream();
    const MatrixBatch<T> a(plan.a), b(plan.b);
    const bool tall = a.rows >= a.cols;
    const int64_t count = a.count, most = std::max(a.rows, a.cols), few = std::min(a.rows, a.cols), k = b.cols;
    const Scratch<T> turned(stream, tall ? 0 : count * most * few), tau(stream, count * few), triangle(stream, count * few * few),
        x(stream, count * few * k);
    T *const factors = tall ? a.data : static_cast<T*>(turned.address()), *const own_tau = static_cast<T*>(tau.address()),
             *const own_triangle = static_cast<T*>(triangle.address()), *const own_x = static_cast<T*>(x.address());
    const Places<T> packed = by_columns(factors, most, few), small = by_columns(own_triangle, few, few),
                    solution = by_columns(own_x, few, k);
    if (!tall) move(stream, count, most, few, packed, transposed(by_columns(a)));
    solver::qr(stream, count, most, few, factors, own_tau);
    move(stream, count, few, few, small, packed, Part::upper);
    const Infos infos(stream, count);
    find_zero_pivots(stream, count, few, small, infos);
    const solver::Reflectors reflectors{.left = true, .transposed = tall, .rows = most, .cols = few, .k = few};
    if (tall) solver::qr_multiply<T>(stream, count, reflectors, most, k, factors, own_tau, b.data);
    move(stream, count, few, k, solution, by_columns(b));
    blas::solve_triangular(stream, triangular({.upper = true, .transposed = !tall}, count, few, k, own_triangle, own_x));
    each_element(stream, count, most, k, PadWithZeros<T>{by_columns(b), solution, few});
    if (!tall) {
      solver::qr_multiply<T>(stream, count, reflectors, most, k, factors, own_tau, b.data);
      move(stream, count, a.rows, a.cols, by_columns(a), transposed(packed));
    }
    infos.tell(plan.failure);
  });
}

// Copies elements, with positive zeros for negative ones.
template <class T> struct CopyWithSigns {
  Places<T> to, from;
  MT_DEVICE void operator()(int64_t matrix, int64_t row, int64_t col) const { to.at(matrix, row, col) = from.at(matrix, row, col) + T(0); }
};

void run_inverse(const InversePlan& plan) {
  if (ran_on_host("inverse", plan.a, plan)) return;
  by_precision(plan.a.dtype(), [&]<class T>(std::type_identity<T>) {
    const Stream stream = op_stream();
    const MatrixBatch<T> a(plan.a);
    const int64_t n = a.rows;
    const Scratch<int32_t> pivots(stream, a.count * n);
    const Scratch<T> inverse(stream, a.count * n * n);
    T* const own = static_cast<T*>(inverse.address());
    const Infos infos(stream, a.count);
    each_element(stream, a.count, n, n, SetIdentity<T>{by_columns(own, n, n)});
    solver::lu(stream, a.count, n, n, a.data, pivots_of(pivots), infos.address());
    solver::lu_solve<T>(stream, a.count, false, n, n, a.data, pivots_of(pivots), own);
    each_element(stream, a.count, n, n, CopyWithSigns<T>{by_columns(a), by_columns(own, n, n)});
    infos.tell(plan.failure);
  });
}

// One thread per matrix multiplies the diagonal in order: computing the factors took n times as many steps.
template <class T> struct DeterminantKernel {
  Places<T> factors;
  const int32_t* pivots;
  int64_t n, count;
  DeterminantPlan::Wanted wanted;
  double *out, *signs;
  MT_DEVICE void operator()(Thread& t) const {
    using Wanted = DeterminantPlan::Wanted;
    for (int64_t matrix = t.global_index(); matrix < count; matrix += t.global_threads()) {
      double sign = 1, logarithm = 0, product = 1;
      for (int64_t k = 0; k < n; ++k) {
        const double pivot = static_cast<double>(factors.at(matrix, k, k)) * (pivots[matrix * n + k] == k + 1 ? 1 : -1);
        sign *= pivot > 0 ? 1 : pivot < 0 ? -1 : pivot;
        logarithm += std::log(std::abs(pivot));
        product *= pivot;
      }
      out[matrix] = wanted == Wanted::value ? product : wanted == Wanted::logarithm && sign < 0 ? NAN : logarithm;
      if (wanted == Wanted::sign_and_logarithm) signs[matrix] = sign;
    }
  }
};

void run_determinant(const DeterminantPlan& plan) {
  if (ran_on_host("det", plan.a, plan)) return;
  by_precision(plan.a.dtype(), [&]<class T>(std::type_identity<T>) {
    const Stream stream = op_stream();
    const MatrixBatch<T> a(plan.a);
    const int64_t n = a.rows;
    const Scratch<int32_t> pivots(stream, a.count * n);
    const Infos infos(stream, a.count);
    if (n > 0) solver::lu(stream, a.count, n, n, a.data, pivots_of(pivots), infos.address());
    launch_each(stream, a.count,
                DeterminantKernel<T>{by_columns(a), pivots.data(), n, a.count, plan.wanted, elements<double>(plan.out),
                                     elements<double>(plan.sign)});
  });
}

// Computes the order of the m rows of each matrix after k swaps.
struct OrderKernel {
  const int32_t* swaps;
  int32_t* orders;
  int64_t m, k, count;
  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t matrix = t.global_index(); matrix < count; matrix += t.global_threads()) {
      int32_t* const order = orders + matrix * m;
      for (int64_t row = 0; row < m; ++row) order[row] = static_cast<int32_t>(row);
      for (int64_t j = 0; j < k; ++j) {
        const int64_t other = swaps[matrix * k + j] - 1;
        const int32_t kept = order[j];
        order[j] = order[other];
        order[other] = kept;
      }
    }
  }
};

template <class T> struct SetPermutation {
  Places<T> to;
  const int32_t* orders;
  int64_t m;
  MT_DEVICE void operator()(int64_t matrix, int64_t row, int64_t col) const {
    to.at(matrix, row, col) = orders[matrix * m + col] == row ? T(1) : T(0);
  }
};

void run_lu(const LuPlan& plan) {
  if (ran_on_host("lu", plan.a, plan)) return;
  by_precision(plan.a.dtype(), [&]<class T>(std::type_identity<T>) {
    const Stream stream = op_stream();
    const MatrixBatch<T> a(plan.a), p(plan.p), l(plan.l), u(plan.u);
    const int64_t m = a.rows, n = a.cols, k = std::min(m, n);
    const Scratch<int32_t> swaps(stream, a.count * k), orders(stream, a.count * m);
    const Infos infos(stream, a.count);
    if (k > 0) solver::lu(stream, a.count, m, n, a.data, pivots_of(swaps), infos.address());
    move(stream, a.count, m, k, by_columns(l), by_columns(a), Part::unit_lower);
    move(stream, a.count, k, n, by_columns(u), by_columns(a), Part::upper);
    launch_each(stream, a.count, OrderKernel{swaps.data(), orders.data(), m, k, a.count});
    each_element(stream, a.count, m, m, SetPermutation<T>{by_columns(p), orders.data(), m});
  });
}

}  // namespace

KernelRows linalg_rows() {
  static constexpr KernelRow rows[] = {
      {"gesv", kernel<&run_solve>()},         {"solve", kernel<&run_solve>()},         {"trtrs", kernel<&run_triangular_solve>()},
      {"gels", kernel<&run_least_squares>()}, {"inverse", kernel<&run_inverse>()},     {"det", kernel<&run_determinant>()},
      {"logdet", kernel<&run_determinant>()}, {"slogdet", kernel<&run_determinant>()}, {"lu", kernel<&run_lu>()}};
  return rows;
}

}  // namespace mt::cuda
