// The CPU's kernels of linear systems, inverses and determinants.
#include "engine/ops/linalg.h"
#include "engine/core/built.h"

#include <cmath>

#include "engine/cpu/matrix_batch.h"
#include "engine/cpu/register.h"

namespace mt {
#include "engine/ops/linalg-inl.h"

namespace cpu {
namespace {

void run_solve(const SolvePlan& plan) {
  with_lapack(plan.a.dtype(), [&]<class T>(const Lapack<T>& lapack) {
    const Batch<T> a(plan.a), x(plan.x);
    const int64_t n = a.rows(), k = x.cols();
    const Tensor pivots = pivots_of(a.count(), n);
    each(a.count(), n * n * (n / 3 + k), plan.failure, [&](int64_t i) {
      int32_t* const p = vector_at<int32_t>(pivots, i);
      const int info = lapack.lu(n, n, a[i], p);
      if (info == 0 && k > 0) lapack.lu_solve(plan.row_major, n, k, a[i], p, x[i]);
      return info;
    });
  });
}

void run_triangular_solve(const TriangularSolvePlan& plan) {
  with_lapack(plan.a.dtype(), [&]<class T>(const Lapack<T>& lapack) {
    const Batch<T> a(plan.a), x(plan.x);
    const int64_t n = x.rows(), k = x.cols();
    each(x.count(), n * n * k, plan.failure, [&](int64_t i) { return lapack.triangular_solve(plan.triangle, n, k, a[i], x[i]); });
  });
}

void run_least_squares(const LeastSquaresPlan& plan) {
  with_lapack(plan.a.dtype(), [&]<class T>(const Lapack<T>& lapack) {
    const Batch<T> a(plan.a), b(plan.b);
    const int64_t m = a.rows(), n = a.cols();
    each(a.count(), m * n * std::min(m, n), plan.failure, [&](int64_t i) { return lapack.least_squares(m, n, b.cols(), a[i], b[i]); });
  });
}

void run_inverse(const InversePlan& plan) {
  with_lapack(plan.a.dtype(), [&]<class T>(const Lapack<T>& lapack) {
    const Batch<T> a(plan.a);
    const int64_t n = a.rows();
    const Tensor pivots = pivots_of(a.count(), n);
    each(a.count(), n * n * n, plan.failure, [&](int64_t i) {
      int32_t* const p = vector_at<int32_t>(pivots, i);
      int info = lapack.lu(n, n, a[i], p);
      if (info == 0) info = lapack.lu_inverse(n, a[i], p);
      clear_signs_of_zeros(n, a[i]);
      return info;
    });
  });
}

double magnitude(double x) { return std::abs(x); }
double magnitude(Complex<double> x) { return std::hypot(x.re, x.im); }
double sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }
Complex<double> sign_of(Complex<double> x) {
  const double size = magnitude(x);
  return size > 0 ? Complex<double>(x.re / size, x.im / size) : x;
}
double angle_of(double x) { return x < 0 ? std::nan("") : 0; }  // of a sign: a negative number has no real logarithm
double angle_of(Complex<double> x) { return std::atan2(x.im, x.re); }

// A determinant, from the LU factors of a matrix; W: double, or a complex number of doubles.
template <class W> struct Determinant {
  W sign = 1, product = 1;
  double logarithm = 0;

  template <class T> Determinant(const T* factors, const int32_t* pivots, int64_t n) {
    for (int64_t k = 0; k < n; ++k) {
      const W pivot = static_cast<W>(factors[k + k * n]) * W(pivots[k] == k + 1 ? 1 : -1);
      sign *= sign_of(pivot);
      logarithm += std::log(magnitude(pivot));
      product *= pivot;
    }
  }
};

void run_determinant(const DeterminantPlan& plan) {
  using Wanted = DeterminantPlan::Wanted;
  with_lapack(plan.a.dtype(), [&]<class T>(const Lapack<T>& lapack) {
    constexpr bool is_real = std::is_same_v<T, Part<T>>;
    using Wide = std::conditional_t<is_real, double, Complex<double>>;
    const Batch<T> a(plan.a);
    const int64_t n = a.rows();
    const Tensor pivots = pivots_of(a.count(), n);
    each(a.count(), n * n * n / 3, [&](int64_t i) {
      int32_t* const p = vector_at<int32_t>(pivots, i);
      if (n > 0) lapack.lu(n, n, a[i], p);
      const Determinant<Wide> d(a[i], p, n);
      if (plan.wanted == Wanted::sign_and_logarithm) {
        plan.sign.data<Wide>()[i] = d.sign;
        plan.out.data<double>()[i] = d.logarithm;
      } else if (plan.wanted == Wanted::value) {
        plan.out.data<Wide>()[i] = d.product;
      } else if constexpr (is_real) {
        plan.out.data<double>()[i] = d.logarithm + angle_of(d.sign);
      } else {
        plan.out.data<Wide>()[i] = Wide(d.logarithm, angle_of(d.sign));
      }
    });
  });
}

// Writes p, l and u from the factors of an m by n matrix and the swapped rows. `order` has memory for m numbers.
template <class T> void unpack_lu(int64_t m, int64_t n, const T* factors, const int32_t* swaps, int32_t* order, T* p, T* l, T* u) {
  const int64_t k = std::min(m, n);
  for (int64_t j = 0; j < k; ++j) {
    std::copy_n(factors + j * m, m, l + j * m);
    std::fill_n(l + j * m, j, T(0));
    l[j + j * m] = 1;
  }
  for (int64_t j = 0; j < n; ++j) std::copy_n(factors + j * m, k, u + j * k);
  clear_other_half(true, k, n, u);
  for (int64_t row = 0; row < m; ++row) order[row] = static_cast<int32_t>(row);
  for (int64_t j = 0; j < k; ++j) std::swap(order[j], order[swaps[j] - 1]);
  std::fill_n(p, m * m, T(0));
  for (int64_t row = 0; row < m; ++row) p[order[row] + row * m] = 1;
}

void run_lu(const LuPlan& plan) {
  with_lapack(plan.a.dtype(), [&]<class T>(const Lapack<T>& lapack) {
    const Batch<T> a(plan.a), p(plan.p), l(plan.l), u(plan.u);
    const int64_t m = a.rows(), n = a.cols(), k = std::min(m, n);
    const Tensor pivots = pivots_of(a.count(), k), orders = pivots_of(a.count(), m);
    each(a.count(), m * n * k, [&](int64_t i) {
      int32_t* const swaps = vector_at<int32_t>(pivots, i);
      if (k > 0) lapack.lu(m, n, a[i], swaps);
      unpack_lu(m, n, a[i], swaps, vector_at<int32_t>(orders, i), p[i], l[i], u[i]);
    });
  });
}

template <class Op> constexpr Kernel kernel_of() { return kernel<&run_determinant>(); }
template <> constexpr Kernel kernel_of<Gesv>() { return kernel<&run_solve>(); }
template <> constexpr Kernel kernel_of<Solve>() { return kernel<&run_solve>(); }
template <> constexpr Kernel kernel_of<Trtrs>() { return kernel<&run_triangular_solve>(); }
template <> constexpr Kernel kernel_of<Gels>() { return kernel<&run_least_squares>(); }
template <> constexpr Kernel kernel_of<Inverse>() { return kernel<&run_inverse>(); }
template <> constexpr Kernel kernel_of<Lu>() { return kernel<&run_lu>(); }

template <class... Op> std::span<const Row> rows_of(List<Op...>) {
  static constexpr Row rows[] = {{&Op::decl, &Op::plan, kernel_of<Op>()}...};
  return built_rows<rows>();
}

}  // namespace

std::span<const Row> linalg_rows() { return rows_of(LinalgOps()); }

}  // namespace cpu
}  // namespace mt
