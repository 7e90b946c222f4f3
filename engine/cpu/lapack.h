// LAPACK on one matrix of real or complex floats or doubles: the vendor's if there is one, else plain loops.
#pragma once

#include <cstdint>

#include "engine/core/complex.h"
#include "engine/ops/linalg.h"

namespace mt::cpu {

// The type of the real and of the imaginary part of a complex number; of a real type, the type itself.
template <class T> struct PartOf { using Type = T; };
template <class T> struct PartOf<Complex<T>> { using Type = T; };
template <class T> using Part = typename PartOf<T>::Type;

template <class T> T conjugate(T x) { return x; }
template <class T> Complex<T> conjugate(Complex<T> x) { return {x.re, -x.im}; }

// The requested singular vectors: none, those of the min(m, n) singular values, or complete bases.
enum class Vectors : uint8_t { none, thin, full };

// Each routine works in place on one matrix, m by n, in column-major order without gaps (b: n by k unless noted), as the LAPACK routine
// named on the right, and returns LAPACK's info: 0, or the position of a failure, counted from 1. No size is 0. Of complex numbers the
// routine has another name if one is in parentheses, Hermitian is for symmetric, and the conjugate transpose for the transpose, unless
// only the transpose is named.
template <class T> struct Lapack {
  int (*lu)(int64_t m, int64_t n, T* a, int32_t* pivots);                                                // getrf
  int (*lu_solve)(bool transposed, int64_t n, int64_t k, const T* lu, const int32_t* pivots, T* b);      // getrs
  int (*lu_inverse)(int64_t n, T* lu, const int32_t* pivots);                                            // getri
  int (*triangular_solve)(Triangle triangle, int64_t n, int64_t k, const T* a, T* b);                    // trtrs
  int (*least_squares)(int64_t m, int64_t n, int64_t k, T* a, T* b);                                     // gels; b: max(m, n) by k
  int (*symmetric_eigen)(bool vectors, bool upper, int64_t n, T* a, Part<T>* values);                    // syevd (heevd)
  int (*eigen)(bool vectors, int64_t n, T* a, Part<T>* real, Part<T>* imaginary, T* right);              // geev
  int (*schur)(int64_t n, T* a, T* z);                                                                   // gees
  int (*singular)(Vectors vectors, int64_t m, int64_t n, T* a, Part<T>* values, T* u, T* v_transposed);  // gesdd
  int (*cholesky)(bool upper, int64_t n, T* a);                                                          // potrf
  int (*cholesky_solve)(bool upper, int64_t n, int64_t k, const T* factor, T* b);                        // potrs
  int (*cholesky_inverse)(bool upper, int64_t n, T* factor);                                             // potri
  int (*pivoted_cholesky)(bool upper, int64_t n, T* a, int32_t* pivots, double tolerance);               // pstrf
  int (*qr)(int64_t m, int64_t n, T* a, T* tau);                                                         // geqrf
  int (*qr_basis)(int64_t m, int64_t n, int64_t reflectors, T* a, const T* tau);                         // orgqr (ungqr)
  int (*qr_multiply)(bool left, bool transposed, int64_t m, int64_t n, int64_t reflectors, int64_t rows, const T* a, const T* tau,
                     T* c);  // ormqr (unmqr); c: m by n, a: rows by reflectors
};

template <class T> const Lapack<T>& lapack();

}  // namespace mt::cpu
