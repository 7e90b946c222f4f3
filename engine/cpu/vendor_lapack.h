// The LAPACK that comes with the system's BLAS, opened when it is first needed. Only lapack.cpp includes this file.
#pragma once

#include <cstddef>

#include "engine/cpu/lapack.h"

namespace mt::cpu {

/// The arguments of LAPACK's entry points. The lengths of text arguments follow all others, as Fortran passes them.
struct LapackArguments {
  using Int = const int*;
  using Text = const char*;
  using Length = size_t;
};

/// The entry points whose arguments differ between real and complex numbers.
template <class T> struct SpectralRoutines : LapackArguments {
  void (*syevd)(Text jobz, Text uplo, Int n, T* a, Int lda, T* w, T* work, Int lwork, int* iwork, Int liwork, int* info, Length, Length);
  void (*geev)(Text left, Text right, Int n, T* a, Int lda, T* wr, T* wi, T* vl, Int ldvl, T* vr, Int ldvr, T* work, Int lwork, int* info,
               Length, Length);
  void (*gees)(Text vectors, Text sort, int (*chosen)(const T*, const T*), Int n, T* a, Int lda, int* count, T* wr, T* wi, T* z, Int ldz,
               T* work, Int lwork, int* marks, int* info, Length, Length);
  void (*gesdd)(Text jobz, Int m, Int n, T* a, Int lda, T* s, T* u, Int ldu, T* vt, Int ldvt, T* work, Int lwork, int* iwork, int* info,
                Length);
};
template <class R> struct SpectralRoutines<Complex<R>> : LapackArguments {
  using T = Complex<R>;
  void (*heevd)(Text jobz, Text uplo, Int n, T* a, Int lda, R* w, T* work, Int lwork, R* rwork, Int lrwork, int* iwork, Int liwork,
                int* info, Length, Length);
  void (*geev)(Text left, Text right, Int n, T* a, Int lda, T* w, T* vl, Int ldvl, T* vr, Int ldvr, T* work, Int lwork, R* rwork, int* info,
               Length, Length);
  void (*gees)(Text vectors, Text sort, int (*chosen)(const T*), Int n, T* a, Int lda, int* count, T* w, T* z, Int ldz, T* work, Int lwork,
               R* rwork, int* marks, int* info, Length, Length);
  void (*gesdd)(Text jobz, Int m, Int n, T* a, Int lda, R* s, T* u, Int ldu, T* vt, Int ldvt, T* work, Int lwork, R* rwork, int* iwork,
                int* info, Length);
};

/// LAPACK's own (column-major, 32-bit) entry points for one element type.
template <class T> struct LapackRoutines : SpectralRoutines<T> {
  using Int = const int*;
  using Text = const char*;
  using Length = size_t;
  void (*getrf)(Int m, Int n, T* a, Int lda, int* pivots, int* info);
  void (*getrs)(Text trans, Int n, Int k, const T* a, Int lda, const int* pivots, T* b, Int ldb, int* info, Length);
  void (*getri)(Int n, T* a, Int lda, const int* pivots, T* work, Int lwork, int* info);
  void (*trtrs)(Text uplo, Text trans, Text diag, Int n, Int k, const T* a, Int lda, T* b, Int ldb, int* info, Length, Length, Length);
  void (*gels)(Text trans, Int m, Int n, Int k, T* a, Int lda, T* b, Int ldb, T* work, Int lwork, int* info, Length);
  void (*potrf)(Text uplo, Int n, T* a, Int lda, int* info, Length);
  void (*potrs)(Text uplo, Int n, Int k, const T* a, Int lda, T* b, Int ldb, int* info, Length);
  void (*potri)(Text uplo, Int n, T* a, Int lda, int* info, Length);
  void (*pstrf)(Text uplo, Int n, T* a, Int lda, int* pivots, int* rank, const Part<T>* tol, Part<T>* work, int* info, Length);
  void (*geqrf)(Int m, Int n, T* a, Int lda, T* tau, T* work, Int lwork, int* info);
  void (*orgqr)(Int m, Int n, Int k, T* a, Int lda, const T* tau, T* work, Int lwork, int* info);
  void (*ormqr)(Text side, Text trans, Int m, Int n, Int k, const T* a, Int lda, const T* tau, T* c, Int ldc, T* work, Int lwork, int* info,
                Length, Length);
};

/// The routines for real or complex floats or doubles, or null if no LAPACK is found or MOONTORCH_BLAS=0 is in the environment at the first
/// call.
template <class T> const LapackRoutines<T>* vendor_lapack();

}  // namespace mt::cpu
