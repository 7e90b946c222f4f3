// The BLAS library of the system, opened when it is first needed. Only blas.cpp and vendor_lapack.cpp compute with it.
#pragma once

namespace mt::cpu {

/// BLAS's own (column-major, 32-bit) entry points for one element type.
template <class T> struct BlasRoutines {
  void (*gemm)(const char* trans_a, const char* trans_b, const int* m, const int* n, const int* k, const T* alpha, const T* a,
               const int* lda, const T* b, const int* ldb, const T* beta, T* c, const int* ldc);
  void (*gemv)(const char* trans, const int* m, const int* n, const T* alpha, const T* a, const int* lda, const T* x, const int* incx,
               const T* beta, T* y, const int* incy);
  void (*ger)(const int* m, const int* n, const T* alpha, const T* x, const int* incx, const T* y, const int* incy, T* a, const int* lda);
  T (*dot)(const int* n, const T* x, const int* incx, const T* y, const int* incy);
  bool cut_columns;  ///< whether columns of a row-major product may be computed separately, between tiles, with the same bits
  bool for_avx2;     ///< whether the kernels are OpenBLAS's for AVX2, slower than oneDNN's for small matrices
};

/// The routines for float or double, or null if no BLAS is found or MOONTORCH_BLAS=0 is in the environment at the first call.
template <class T> const BlasRoutines<T>* vendor_blas();

/// The file of the BLAS that vendor_blas uses, and its name for its kernels; null if there is none, or no name. Opens the BLAS.
struct BlasIdentity {
  const char* path = nullptr;
  const char* kernels = nullptr;
};
BlasIdentity blas_identity();

/// A function of the BLAS library, by its Fortran name ("dgesv_"); null if there is none. Opens the BLAS.
void* vendor_function(const char* symbol);

}  // namespace mt::cpu
