// Decompositions by a vendor's library. Two files define it: cuda/real/solver.cpp by cuSOLVER, which is opened when it is first needed, and
// cuda/emulated/solver.cpp by the engine's plain LAPACK.
//
// Each works in place on `count` matrices that follow each other, column-major without gaps, float or double, at addresses as tensors have
// them, with the meaning that LAPACK gives to the routine named. No size is 0. Nothing waits for the device: `infos`, one for each matrix,
// are LAPACK's info, in the device's memory.
#pragma once

#include <cstdint>

#include "cuda/runtime/driver.h"

namespace mt::cuda::solver {

// getrf: m by n, min(m, n) pivots each, counted from 1
template <class T> void lu(Stream stream, int64_t count, int64_t m, int64_t n, T* a, int32_t* pivots, int32_t* infos);
// getrs: b is n by k
template <class T>
void lu_solve(Stream stream, int64_t count, bool transposed, int64_t n, int64_t k, const T* factors, const int32_t* pivots, T* b);
// potrf; the other half is left as it is, or overwritten
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
// syevd: values ascending; a is overwritten by the vectors, or by anything
template <class T> void symmetric_eigen(Stream stream, int64_t count, bool vectors, bool upper, int64_t n, T* a, T* values, int32_t* infos);
// gesvdj: u is m by min(m, n), v, not transposed, n by min(m, n); with `full` they are whole bases
template <class T> void singular(Stream stream, int64_t count, bool full, int64_t m, int64_t n, T* a, T* s, T* u, T* v, int32_t* infos);

// What both files instantiate.
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
