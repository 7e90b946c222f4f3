// Decompositions by a vendor's library. Two files implement it: cuda/real/solver.cpp with cuSOLVER, which is loaded on first use, and
// cuda/emulated/solver.cpp with the engine's plain LAPACK.
//
// Each function processes `count` consecutive matrices in place: column-major without gaps, float or double, at addresses as in tensors. It
// does what LAPACK's routine in its comment does. No size is 0. No function waits for the device: `infos` is LAPACK's info for each matrix,
// in device memory.
#pragma once

#include <cstdint>

#include "cuda/runtime/driver.h"

namespace mt::cuda::solver {

// getrf: m by n, min(m, n) pivots each, counted from 1
template <class T> void lu(Stream stream, int64_t count, int64_t m, int64_t n, T* a, int32_t* pivots, int32_t* infos);
// getrs: b is n by k
template <class T>
void lu_solve(Stream stream, int64_t count, bool transposed, int64_t n, int64_t k, const T* factors, const int32_t* pivots, T* b);
// potrf; the other half may be unchanged or overwritten
template <class T> void cholesky(Stream stream, int64_t count, bool upper, int64_t n, T* a, int32_t* infos);
// geqrf: min(m, n) factors each
template <class T> void qr(Stream stream, int64_t count, int64_t m, int64_t n, T* a, T* tau);
// orgqr: m by k, k at most m
template <class T> void qr_basis(Stream stream, int64_t count, int64_t m, int64_t k, T* a, const T* tau);
// ormqr: c is m by n; a: `rows` by `cols`, whose first k columns have the reflectors
struct Reflectors {
  bool left, transposed;
  int64_t rows, cols, k;
};
template <class T>
void qr_multiply(Stream stream, int64_t count, const Reflectors& reflectors, int64_t m, int64_t n, const T* a, const T* tau, T* c);
// syevd: ascending values; overwrites a by the vectors, or by unspecified values
template <class T> void symmetric_eigen(Stream stream, int64_t count, bool vectors, bool upper, int64_t n, T* a, T* values, int32_t* infos);
// gesvdj: u is m by min(m, n), v, not transposed, n by min(m, n); with `full` both are full bases
template <class T> void singular(Stream stream, int64_t count, bool full, int64_t m, int64_t n, T* a, T* s, T* u, T* v, int32_t* infos);

// Instantiations for both files.
#define MT_SOLVER_INSTANCES(T)                                                                             \
  template void lu(Stream, int64_t, int64_t, int64_t, T*, int32_t*, int32_t*);                             \
  template void lu_solve(Stream, int64_t, bool, int64_t, int64_t, const T*, const int32_t*, T*);           \
  template void cholesky(Stream, int64_t, bool, int64_t, T*, int32_t*);                                    \
  template void qr(Stream, int64_t, int64_t, int64_t, T*, T*);                                             \
  template void qr_basis(Stream, int64_t, int64_t, int64_t, T*, const T*);                                 \
  template void qr_multiply(Stream, int64_t, const Reflectors&, int64_t, int64_t, const T*, const T*, T*); \
  template void symmetric_eigen(Stream, int64_t, bool, bool, int64_t, T*, T*, int32_t*);                   \
  template void singular(Stream, int64_t, bool, int64_t, int64_t, T*, T*, T*, T*, int32_t*);

}  // namespace mt::cuda::solver
