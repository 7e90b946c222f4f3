// A large matrix may use all threads inside OpenBLAS, which then adds in another order than one thread does; the matrices of a batch use
// one thread each.
#include "engine/cpu/lapack.h"

#include <climits>
#include <cmath>
#include <optional>

#include "engine/core/fork.h"
#include "engine/core/mutex.h"
#include "engine/core/parallel.h"
#include "engine/core/processor.h"
#include "engine/cpu/plain_lapack.h"
#include "engine/cpu/vendor_lapack.h"

namespace mt::cpu {
namespace {

constexpr int64_t threaded_work = 4'000'000;  // multiplications from which a second thread is faster

// The number of threads of OpenBLAS for one call. Only one caller at a time may use several, because OpenBLAS stores their number in a
// global. Its threads wait for each other at every step, so they are slower than one thread if other threads keep the processors busy.
class VendorThreads {
 public:
  explicit VendorThreads(int64_t work) {
    const bool several = work >= threaded_work && !in_parallel() && num_threads() > 1 && !processors_are_busy() && turn().try_lock();
    if (several) held_ = std::unique_lock(turn(), std::adopt_lock);
    count_.emplace(several ? num_threads() : 1);
  }

 private:
  static ThreadMutex& turn() {
    static ThreadMutex only;
    return only;
  }
  const KeepsFromForking at_rest_;  // holds the lock inside of it, so that no child of fork() finds it locked
  std::unique_lock<ThreadMutex> held_;
  std::optional<OpenMpThreads> count_;
};

// Memory for LAPACK, from the engine's allocator.
template <class T> class Workspace {
 public:
  explicit Workspace(int64_t n) : memory_(Tensor::empty(dtype_of<Part<T>>, {parts * std::max<int64_t>(1, n)})) {}
  T* data() const { return memory_.data<T>(); }
  int size() const { return static_cast<int>(memory_.numel() / parts); }

 private:
  static constexpr int64_t parts = sizeof(T) / sizeof(Part<T>);
  Tensor memory_;
};

template <class T> double size_from(T answer) { return static_cast<double>(answer); }
template <class T> double size_from(Complex<T> answer) { return static_cast<double>(answer.re); }

// Calls f(work, lwork) to query the best size of the workspace, then with that size. f returns info.
template <class T, class F> int with_workspace(F f) {
  T best = 1;
  const int ask = -1;
  if (const int info = f(&best, &ask)) return info;
  // As a float the size may be rounded down.
  const double wanted = std::ceil(size_from(best) * (1 + static_cast<double>(std::numeric_limits<Part<T>>::epsilon())));
  if (wanted > INT_MAX) fail<Status::range>("linalg", "x", "a matrix too large for LAPACK's workspace");
  const Workspace<T> work(static_cast<int64_t>(wanted));
  const int size = work.size();
  return f(work.data(), &size);
}

const char* uplo(bool upper) { return upper ? "U" : "L"; }
const char* trans(bool transposed) { return transposed ? "T" : "N"; }
template <class T> constexpr bool is_real = std::is_same_v<T, Part<T>>;
// LAPACK's name for q', whose conjugate is part of it if q is complex.
template <class T> const char* adjoint(bool transposed) { return transposed && !is_real<T> ? "C" : trans(transposed); }
int leading(int64_t rows) { return static_cast<int>(std::max<int64_t>(1, rows)); }

template <class T> int lu(int64_t rows, int64_t cols, T* a, int32_t* pivots) {
  const auto* vendor = vendor_lapack<T>();
  if (!vendor) return plain_lapack<T>().lu(rows, cols, a, pivots);
  const VendorThreads threads(rows * cols * std::min(rows, cols));
  const int m = static_cast<int>(rows), n = static_cast<int>(cols), ld = leading(m);
  int info = 0;
  vendor->getrf(&m, &n, a, &ld, pivots, &info);
  return info;
}

template <class T> int lu_solve(bool transposed, int64_t rows, int64_t cols, const T* factors, const int32_t* pivots, T* b) {
  const auto* vendor = vendor_lapack<T>();
  if (!vendor) return plain_lapack<T>().lu_solve(transposed, rows, cols, factors, pivots, b);
  const VendorThreads threads(rows * rows * cols);
  const int n = static_cast<int>(rows), k = static_cast<int>(cols), ld = leading(n);
  int info = 0;
  vendor->getrs(trans(transposed), &n, &k, factors, &ld, pivots, b, &ld, &info, 1);
  return info;
}

template <class T> int lu_inverse(int64_t rows, T* factors, const int32_t* pivots) {
  const auto* vendor = vendor_lapack<T>();
  if (!vendor) return plain_lapack<T>().lu_inverse(rows, factors, pivots);
  const VendorThreads threads(rows * rows * rows);
  const int n = static_cast<int>(rows), ld = leading(n);
  return with_workspace<T>([&](T* work, const int* size) {
    int info = 0;
    vendor->getri(&n, factors, &ld, pivots, work, size, &info);
    return info;
  });
}

template <class T> int triangular_solve(Triangle t, int64_t rows, int64_t cols, const T* a, T* b) {
  const auto* vendor = vendor_lapack<T>();
  if (!vendor) return plain_lapack<T>().triangular_solve(t, rows, cols, a, b);
  const VendorThreads threads(rows * rows * cols);
  const int n = static_cast<int>(rows), k = static_cast<int>(cols), ld = leading(n);
  int info = 0;
  vendor->trtrs(uplo(t.upper), t.conjugated ? "C" : trans(t.transposed), t.unit ? "U" : "N", &n, &k, a, &ld, b, &ld, &info, 1, 1, 1);
  return info;
}

template <class T> int least_squares(int64_t rows, int64_t cols, int64_t sides, T* a, T* b) {
  const auto* vendor = vendor_lapack<T>();
  if (!vendor) return plain_lapack<T>().least_squares(rows, cols, sides, a, b);
  const VendorThreads threads(rows * cols * std::min(rows, cols));
  const int m = static_cast<int>(rows), n = static_cast<int>(cols), k = static_cast<int>(sides), ld = leading(m),
            ldb = leading(std::max(m, n));
  return with_workspace<T>([&](T* work, const int* size) {
    int info = 0;
    vendor->gels("N", &m, &n, &k, a, &ld, b, &ldb, work, size, &info, 1);
    return info;
  });
}

template <class T> int symmetric_eigen(bool vectors, bool upper, int64_t rows, T* a, Part<T>* values) {
  const auto* vendor = vendor_lapack<T>();
  if (!vendor) return plain_lapack<T>().symmetric_eigen(vectors, upper, rows, a, values);
  const VendorThreads threads(rows * rows * rows);
  const int n = static_cast<int>(rows), ld = leading(n);
  const Workspace<int32_t> integers(vectors ? 3 + 5 * rows : 1);
  const int integer_count = integers.size();
  const char* const jobz = vectors ? "V" : "N";
  const Workspace<Part<T>> reals(is_real<T> ? 1 : vectors ? 1 + 5 * rows + 2 * rows * rows : rows);
  const int real_count = reals.size();
  return with_workspace<T>([&](T* work, const int* size) {
    int info = 0;
    if constexpr (is_real<T>)
      vendor->syevd(jobz, uplo(upper), &n, a, &ld, values, work, size, integers.data(), &integer_count, &info, 1, 1);
    else
      vendor->heevd(jobz, uplo(upper), &n, a, &ld, values, work, size, reals.data(), &real_count, integers.data(), &integer_count, &info, 1,
                    1);
    return info;
  });
}

template <class T> int eigen(bool vectors, int64_t rows, T* a, Part<T>* real, Part<T>* imaginary, T* right) {
  const auto* vendor = vendor_lapack<T>();
  if (!vendor) return plain_lapack<T>().eigen(vectors, rows, a, real, imaginary, right);
  const VendorThreads threads(rows * rows * rows);
  const int n = static_cast<int>(rows), ld = leading(n), none = 1, ldr = vectors ? ld : none;
  const char* const wanted = vectors ? "V" : "N";
  if constexpr (is_real<T>) {
    return with_workspace<T>([&](T* work, const int* size) {
      int info = 0;
      vendor->geev("N", wanted, &n, a, &ld, real, imaginary, nullptr, &none, right, &ldr, work, size, &info, 1, 1);
      return info;
    });
  } else {
    const Workspace<T> values(rows);
    const Workspace<Part<T>> reals(2 * rows);
    const int info = with_workspace<T>([&](T* work, const int* size) {
      int failed = 0;
      vendor->geev("N", wanted, &n, a, &ld, values.data(), nullptr, &none, right, &ldr, work, size, reals.data(), &failed, 1, 1);
      return failed;
    });
    for (int64_t i = 0; i < rows; ++i) {
      real[i] = values.data()[i].re;
      imaginary[i] = values.data()[i].im;
    }
    return info;
  }
}

template <class T> int schur(int64_t rows, T* a, T* z) {
  const auto* vendor = vendor_lapack<T>();
  if (!vendor) return plain_lapack<T>().schur(rows, a, z);
  const VendorThreads threads(rows * rows * rows);
  const int n = static_cast<int>(rows), ld = leading(n);
  const Workspace<T> values(2 * rows);
  const Workspace<Part<T>> reals(rows);
  int chosen = 0;
  return with_workspace<T>([&](T* work, const int* size) {
    int info = 0;
    if constexpr (is_real<T>)
      vendor->gees("V", "N", nullptr, &n, a, &ld, &chosen, values.data(), values.data() + n, z, &ld, work, size, nullptr, &info, 1, 1);
    else
      vendor->gees("V", "N", nullptr, &n, a, &ld, &chosen, values.data(), z, &ld, work, size, reals.data(), nullptr, &info, 1, 1);
    return info;
  });
}

template <class T> int singular(Vectors vectors, int64_t rows, int64_t cols, T* a, Part<T>* values, T* u, T* v_transposed) {
  const auto* vendor = vendor_lapack<T>();
  if (!vendor) return plain_lapack<T>().singular(vectors, rows, cols, a, values, u, v_transposed);
  const VendorThreads threads(rows * cols * std::min(rows, cols));
  const int m = static_cast<int>(rows), n = static_cast<int>(cols), ld = leading(m), k = std::min(m, n),
            ldvt = vectors == Vectors::none ? 1 : leading(vectors == Vectors::full ? n : k), ldu = vectors == Vectors::none ? 1 : ld;
  const char* const jobz = vectors == Vectors::none ? "N" : vectors == Vectors::full ? "A" : "S";
  const Workspace<int32_t> integers(8 * static_cast<int64_t>(k));
  const int64_t few = k, many = std::max(rows, cols);
  const Workspace<Part<T>> reals(is_real<T> ? 1 : vectors == Vectors::none ? 7 * few : few * std::max(5 * few + 7, 2 * many + 2 * few + 1));
  return with_workspace<T>([&](T* work, const int* size) {
    int info = 0;
    if constexpr (is_real<T>)
      vendor->gesdd(jobz, &m, &n, a, &ld, values, u, &ldu, v_transposed, &ldvt, work, size, integers.data(), &info, 1);
    else
      vendor->gesdd(jobz, &m, &n, a, &ld, values, u, &ldu, v_transposed, &ldvt, work, size, reals.data(), integers.data(), &info, 1);
    return info;
  });
}

template <class T> int cholesky(bool upper, int64_t rows, T* a) {
  const auto* vendor = vendor_lapack<T>();
  if (!vendor) return plain_lapack<T>().cholesky(upper, rows, a);
  const VendorThreads threads(rows * rows * rows / 3);
  const int n = static_cast<int>(rows), ld = leading(n);
  int info = 0;
  vendor->potrf(uplo(upper), &n, a, &ld, &info, 1);
  return info;
}

template <class T> int cholesky_solve(bool upper, int64_t rows, int64_t cols, const T* factor, T* b) {
  const auto* vendor = vendor_lapack<T>();
  if (!vendor) return plain_lapack<T>().cholesky_solve(upper, rows, cols, factor, b);
  const VendorThreads threads(rows * rows * cols);
  const int n = static_cast<int>(rows), k = static_cast<int>(cols), ld = leading(n);
  int info = 0;
  vendor->potrs(uplo(upper), &n, &k, factor, &ld, b, &ld, &info, 1);
  return info;
}

template <class T> int cholesky_inverse(bool upper, int64_t rows, T* factor) {
  const auto* vendor = vendor_lapack<T>();
  if (!vendor) return plain_lapack<T>().cholesky_inverse(upper, rows, factor);
  const VendorThreads threads(rows * rows * rows);
  const int n = static_cast<int>(rows), ld = leading(n);
  int info = 0;
  vendor->potri(uplo(upper), &n, factor, &ld, &info, 1);
  return info;
}

template <class T> int pivoted_cholesky(bool upper, int64_t rows, T* a, int32_t* pivots, double tolerance) {
  const auto* vendor = vendor_lapack<T>();
  if (!vendor) return plain_lapack<T>().pivoted_cholesky(upper, rows, a, pivots, tolerance);
  const VendorThreads threads(rows * rows * rows / 3);
  const int n = static_cast<int>(rows), ld = leading(n);
  const auto tol = static_cast<Part<T>>(tolerance);
  const Workspace<Part<T>> work(2 * rows);
  int rank = 0, info = 0;
  vendor->pstrf(uplo(upper), &n, a, &ld, pivots, &rank, &tol, work.data(), &info, 1);
  return info;
}

template <class T> int qr(int64_t rows, int64_t cols, T* a, T* tau) {
  const auto* vendor = vendor_lapack<T>();
  if (!vendor) return plain_lapack<T>().qr(rows, cols, a, tau);
  const VendorThreads threads(rows * cols * std::min(rows, cols));
  const int m = static_cast<int>(rows), n = static_cast<int>(cols), ld = leading(m);
  return with_workspace<T>([&](T* work, const int* size) {
    int info = 0;
    vendor->geqrf(&m, &n, a, &ld, tau, work, size, &info);
    return info;
  });
}

template <class T> int qr_basis(int64_t rows, int64_t cols, int64_t reflectors, T* a, const T* tau) {
  const auto* vendor = vendor_lapack<T>();
  if (!vendor) return plain_lapack<T>().qr_basis(rows, cols, reflectors, a, tau);
  const VendorThreads threads(rows * cols * reflectors);
  const int m = static_cast<int>(rows), n = static_cast<int>(cols), k = static_cast<int>(reflectors), ld = leading(m);
  return with_workspace<T>([&](T* work, const int* size) {
    int info = 0;
    vendor->orgqr(&m, &n, &k, a, &ld, tau, work, size, &info);
    return info;
  });
}

template <class T> int qr_multiply(bool left, bool transposed, int64_t c_rows, int64_t c_cols, int64_t reflectors, int64_t rows, const T* a,
                                   const T* tau, T* c) {
  const auto* vendor = vendor_lapack<T>();
  if (!vendor) return plain_lapack<T>().qr_multiply(left, transposed, c_rows, c_cols, reflectors, rows, a, tau, c);
  const VendorThreads threads(c_rows * c_cols * reflectors);
  const int m = static_cast<int>(c_rows), n = static_cast<int>(c_cols), k = static_cast<int>(reflectors), ld = leading(rows),
            ldc = leading(m);
  return with_workspace<T>([&](T* work, const int* size) {
    int info = 0;
    vendor->ormqr(left ? "L" : "R", adjoint<T>(transposed), &m, &n, &k, a, &ld, tau, c, &ldc, work, size, &info, 1, 1);
    return info;
  });
}

}  // namespace

template <class T> const Lapack<T>& lapack() {
  static constexpr Lapack<T> routines{
      &lu<T>,       &lu_solve<T>,   &lu_inverse<T>, &triangular_solve<T>, &least_squares<T>,    &symmetric_eigen<T>,  &eigen<T>,
      &schur<T>,    &singular<T>,   &cholesky<T>,   &cholesky_solve<T>,   &cholesky_inverse<T>, &pivoted_cholesky<T>, &qr<T>,
      &qr_basis<T>, &qr_multiply<T>};
  return routines;
}

template const Lapack<float>& lapack<float>();
template const Lapack<double>& lapack<double>();
template const Lapack<Complex<float>>& lapack<Complex<float>>();
template const Lapack<Complex<double>>& lapack<Complex<double>>();

}  // namespace mt::cpu
