// Implements cuda/vendor/solver.h with cuSOLVER: matrices one by one, or small ones in batched calls if cuSOLVER or cuBLAS have them.
#include "cuda/vendor/solver.h"

#include <cuda_runtime_api.h>
#include <cusolverDn.h>

#include <algorithm>

#include "cuda/kernels/addresses.h"
#include "cuda/real/blas.h"
#include "cuda/real/handles.h"
#include "cuda/real/library.h"

namespace mt::cuda::solver {
namespace {

using real::cublas;
using real::CublasHandle;

struct Cusolver {
  Library library{"cuSOLVER", {"libcusolver.so.12", "libcusolver.so.11"}};
  MT_LIBRARY_FUNCTION(library, cusolverDnCreate);
  MT_LIBRARY_FUNCTION(library, cusolverDnSetStream);
  MT_LIBRARY_FUNCTION(library, cusolverDnCreateGesvdjInfo);
  MT_LIBRARY_FUNCTION(library, cusolverDnDestroyGesvdjInfo);
  MT_LIBRARY_FUNCTION(library, cusolverDnCreateSyevjInfo);
  MT_LIBRARY_FUNCTION(library, cusolverDnDestroySyevjInfo);
};
const Cusolver& cusolver() {
  static const Cusolver& all = *new Cusolver;
  return all;
}

void check(cusolverStatus_t status, const char* function) {
  if (status == CUSOLVER_STATUS_SUCCESS) return;
  raise(std::string(function) + " failed with cuSOLVER's status " + std::to_string(static_cast<int>(status)));
}

// The routines for one precision, which the letter in their names selects.
template <class T> struct Routines;
template <class T> const Routines<T>& routines() {
  static const Routines<T>& all = *new Routines<T>;
  return all;
}
#define MT_ROUTINE(letter, name)               \
  decltype(&::cusolverDn##letter##name) name = \
      cusolver().library.function<decltype(&::cusolverDn##letter##name)>("cusolverDn" #letter #name)
#define MT_ROUTINES(T, letter)                    \
  template <> struct Routines<T> {                \
    MT_ROUTINE(letter, getrf);                    \
    MT_ROUTINE(letter, getrf_bufferSize);         \
    MT_ROUTINE(letter, getrs);                    \
    MT_ROUTINE(letter, potrf);                    \
    MT_ROUTINE(letter, potrf_bufferSize);         \
    MT_ROUTINE(letter, potrfBatched);             \
    MT_ROUTINE(letter, geqrf);                    \
    MT_ROUTINE(letter, geqrf_bufferSize);         \
    MT_ROUTINE(letter, orgqr);                    \
    MT_ROUTINE(letter, orgqr_bufferSize);         \
    MT_ROUTINE(letter, ormqr);                    \
    MT_ROUTINE(letter, ormqr_bufferSize);         \
    MT_ROUTINE(letter, syevd);                    \
    MT_ROUTINE(letter, syevd_bufferSize);         \
    MT_ROUTINE(letter, syevjBatched);             \
    MT_ROUTINE(letter, syevjBatched_bufferSize);  \
    MT_ROUTINE(letter, gesvdj);                   \
    MT_ROUTINE(letter, gesvdj_bufferSize);        \
    MT_ROUTINE(letter, gesvdjBatched);            \
    MT_ROUTINE(letter, gesvdjBatched_bufferSize); \
  };
MT_ROUTINES(float, S)
MT_ROUTINES(double, D)
#undef MT_ROUTINES
#undef MT_ROUTINE

// The handle of one call.
class Handle {
 public:
  explicit Handle(Stream stream) : device_(stream.device) {
    cudaSetDevice(device_);
    handle_ = real::idle_handles<cusolverDnHandle_t>().take(device_, [] {
      cusolverDnHandle_t created = nullptr;
      check(cusolver().cusolverDnCreate(&created), "cusolverDnCreate");
      return created;
    });
    cusolver().cusolverDnSetStream(handle_, static_cast<cudaStream_t>(stream.handle));
  }
  Handle(const Handle&) = delete;
  ~Handle() { real::idle_handles<cusolverDnHandle_t>().give_back(device_, handle_); }
  operator cusolverDnHandle_t() const { return handle_; }

 private:
  const int device_;
  cusolverDnHandle_t handle_;
};

// Parameters of Jacobi iterations, with cuSOLVER's defaults.
class JacobiSingular {
 public:
  JacobiSingular() { check(cusolver().cusolverDnCreateGesvdjInfo(&info_), "cusolverDnCreateGesvdjInfo"); }
  JacobiSingular(const JacobiSingular&) = delete;
  ~JacobiSingular() { cusolver().cusolverDnDestroyGesvdjInfo(info_); }
  operator gesvdjInfo_t() const { return info_; }

 private:
  gesvdjInfo_t info_ = nullptr;
};
class JacobiEigen {
 public:
  JacobiEigen() { check(cusolver().cusolverDnCreateSyevjInfo(&info_), "cusolverDnCreateSyevjInfo"); }
  JacobiEigen(const JacobiEigen&) = delete;
  ~JacobiEigen() { cusolver().cusolverDnDestroySyevjInfo(info_); }
  operator syevjInfo_t() const { return info_; }

 private:
  syevjInfo_t info_ = nullptr;
};

constexpr int64_t most_jacobi_rows = 32;  // the most that the batched routines support

cublasFillMode_t half(bool upper) { return upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER; }
cublasOperation_t operation(bool transposed) { return transposed ? CUBLAS_OP_T : CUBLAS_OP_N; }
int as_int(int64_t n) { return static_cast<int>(n); }

// Calls size(&elements) for the size of the workspace, then work(i, workspace, elements) for each matrix.
template <class T, class Size, class Work> void each(Stream stream, int64_t count, const char* name, Size size, Work work) {
  int elements = 0;
  check(size(&elements), name);
  const Scratch<T> workspace(stream, elements);
  cuda::count(Count::launch, static_cast<uint64_t>(count));
  for (int64_t i = 0; i < count; ++i) check(work(i, static_cast<T*>(workspace.address()), elements), name);
}

}  // namespace

template <class T> void lu(Stream stream, int64_t count, int64_t rows, int64_t cols, T* a, int32_t* pivots, int32_t* infos) {
  const int m = as_int(rows), n = as_int(cols);
  if (m == n && real::pays_batched(count, rows)) {
    const CublasHandle handle(stream);
    const Addresses<T> all(stream, a, rows * cols, count);
    cuda::count(Count::launch);
    if constexpr (std::is_same_v<T, float>)
      real::check(cublas().cublasSgetrfBatched(handle, n, all.data(), n, pivots, infos, as_int(count)), "cublasSgetrfBatched");
    else
      real::check(cublas().cublasDgetrfBatched(handle, n, all.data(), n, pivots, infos, as_int(count)), "cublasDgetrfBatched");
    return;
  }
  const Handle handle(stream);
  const Routines<T>& own = routines<T>();
  each<T>(
      stream, count, "cusolverDnGetrf", [&](int* size) { return own.getrf_bufferSize(handle, m, n, a, m, size); },
      [&](int64_t i, T* work, int) {
        return own.getrf(handle, m, n, a + i * rows * cols, m, work, pivots + i * std::min(rows, cols), infos + i);
      });
}

template <class T>
void lu_solve(Stream stream, int64_t count, bool transposed, int64_t rows, int64_t cols, const T* factors, const int32_t* pivots, T* b) {
  const int n = as_int(rows), k = as_int(cols);
  if (real::pays_batched(count, rows)) {
    const CublasHandle handle(stream);
    const Addresses<T> all(stream, const_cast<T*>(factors), rows * rows, count), sides(stream, b, rows * cols, count);
    int info = 0;  // status of the arguments
    cuda::count(Count::launch);
    if constexpr (std::is_same_v<T, float>)
      real::check(
          cublas().cublasSgetrsBatched(handle, operation(transposed), n, k, all.data(), n, pivots, sides.data(), n, &info, as_int(count)),
          "cublasSgetrsBatched");
    else
      real::check(
          cublas().cublasDgetrsBatched(handle, operation(transposed), n, k, all.data(), n, pivots, sides.data(), n, &info, as_int(count)),
          "cublasDgetrsBatched");
    return;
  }
  const Handle handle(stream);
  const Scratch<int32_t> info(stream, 1);  // status of the arguments
  cuda::count(Count::launch, static_cast<uint64_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    check(routines<T>().getrs(handle, operation(transposed), n, k, factors + i * rows * rows, n, pivots + i * rows, b + i * rows * cols, n,
                              info.data()),
          "cusolverDnGetrs");
  }
}

template <class T> void cholesky(Stream stream, int64_t count, bool upper, int64_t rows, T* a, int32_t* infos) {
  const int n = as_int(rows);
  const Handle handle(stream);
  const Routines<T>& own = routines<T>();
  if (real::pays_batched(count, rows)) {
    const Addresses<T> all(stream, a, rows * rows, count);
    cuda::count(Count::launch);
    return check(own.potrfBatched(handle, half(upper), n, all.data(), n, infos, as_int(count)), "cusolverDnPotrfBatched");
  }
  each<T>(
      stream, count, "cusolverDnPotrf", [&](int* size) { return own.potrf_bufferSize(handle, half(upper), n, a, n, size); },
      [&](int64_t i, T* work, int size) { return own.potrf(handle, half(upper), n, a + i * rows * rows, n, work, size, infos + i); });
}

template <class T> void qr(Stream stream, int64_t count, int64_t rows, int64_t cols, T* a, T* tau) {
  const int m = as_int(rows), n = as_int(cols);
  const Handle handle(stream);
  const Routines<T>& own = routines<T>();
  const Scratch<int32_t> info(stream, 1);
  each<T>(
      stream, count, "cusolverDnGeqrf", [&](int* size) { return own.geqrf_bufferSize(handle, m, n, a, m, size); },
      [&](int64_t i, T* work, int size) {
        return own.geqrf(handle, m, n, a + i * rows * cols, m, tau + i * std::min(rows, cols), work, size, info.data());
      });
}

template <class T> void qr_basis(Stream stream, int64_t count, int64_t rows, int64_t cols, T* a, const T* tau) {
  const int m = as_int(rows), k = as_int(cols);
  const Handle handle(stream);
  const Routines<T>& own = routines<T>();
  const Scratch<int32_t> info(stream, 1);
  each<T>(
      stream, count, "cusolverDnOrgqr", [&](int* size) { return own.orgqr_bufferSize(handle, m, k, k, a, m, tau, size); },
      [&](int64_t i, T* work, int size) {
        return own.orgqr(handle, m, k, k, a + i * rows * cols, m, tau + i * cols, work, size, info.data());
      });
}

template <class T>
void qr_multiply(Stream stream, int64_t count, const Reflectors& r, int64_t rows, int64_t cols, const T* a, const T* tau, T* c) {
  const int m = as_int(rows), n = as_int(cols), k = as_int(r.k), ld = as_int(r.rows);
  const cublasSideMode_t side = r.left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
  const cublasOperation_t transposed = operation(r.transposed);
  const Handle handle(stream);
  const Routines<T>& own = routines<T>();
  const Scratch<int32_t> info(stream, 1);
  each<T>(
      stream, count, "cusolverDnOrmqr",
      [&](int* size) { return own.ormqr_bufferSize(handle, side, transposed, m, n, k, a, ld, tau, c, m, size); },
      [&](int64_t i, T* work, int size) {
        return own.ormqr(handle, side, transposed, m, n, k, a + i * r.rows * r.cols, ld, tau + i * r.k, c + i * rows * cols, m, work, size,
                         info.data());
      });
}

template <class T>
void symmetric_eigen(Stream stream, int64_t count, bool vectors, bool upper, int64_t rows, T* a, T* values, int32_t* infos) {
  const int n = as_int(rows);
  const cusolverEigMode_t wanted = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  const Handle handle(stream);
  const Routines<T>& own = routines<T>();
  if (count > 1 && rows <= most_jacobi_rows) {
    const JacobiEigen jacobi;
    const int all = as_int(count);
    return each<T>(
        stream, 1, "cusolverDnSyevjBatched",
        [&](int* size) { return own.syevjBatched_bufferSize(handle, wanted, half(upper), n, a, n, values, size, jacobi, all); },
        [&](int64_t, T* work, int size) {
          return own.syevjBatched(handle, wanted, half(upper), n, a, n, values, work, size, infos, jacobi, all);
        });
  }
  each<T>(
      stream, count, "cusolverDnSyevd", [&](int* size) { return own.syevd_bufferSize(handle, wanted, half(upper), n, a, n, values, size); },
      [&](int64_t i, T* work, int size) {
        return own.syevd(handle, wanted, half(upper), n, a + i * rows * rows, n, values + i * rows, work, size, infos + i);
      });
}

template <class T>
void singular(Stream stream, int64_t count, bool full, int64_t rows, int64_t cols, T* a, T* s, T* u, T* v, int32_t* infos) {
  const int m = as_int(rows), n = as_int(cols);
  const int64_t k = std::min(rows, cols), u_cols = full ? rows : k, v_cols = full ? cols : k;
  const Handle handle(stream);
  const Routines<T>& own = routines<T>();
  const JacobiSingular jacobi;
  if (count > 1 && std::max(rows, cols) <= most_jacobi_rows && (full || rows == cols)) {  // the batched routine returns full bases
    const int all = as_int(count);
    return each<T>(
        stream, 1, "cusolverDnGesvdjBatched",
        [&](int* size) {
          return own.gesvdjBatched_bufferSize(handle, CUSOLVER_EIG_MODE_VECTOR, m, n, a, m, s, u, m, v, n, size, jacobi, all);
        },
        [&](int64_t, T* work, int size) {
          return own.gesvdjBatched(handle, CUSOLVER_EIG_MODE_VECTOR, m, n, a, m, s, u, m, v, n, work, size, infos, jacobi, all);
        });
  }
  const int thin = full ? 0 : 1;
  each<T>(
      stream, count, "cusolverDnGesvdj",
      [&](int* size) { return own.gesvdj_bufferSize(handle, CUSOLVER_EIG_MODE_VECTOR, thin, m, n, a, m, s, u, m, v, n, size, jacobi); },
      [&](int64_t i, T* work, int size) {
        return own.gesvdj(handle, CUSOLVER_EIG_MODE_VECTOR, thin, m, n, a + i * rows * cols, m, s + i * k, u + i * rows * u_cols, m,
                          v + i * cols * v_cols, n, work, size, infos + i, jacobi);
      });
}

MT_SOLVER_INSTANCES(float)
MT_SOLVER_INSTANCES(double)

}  // namespace mt::cuda::solver
