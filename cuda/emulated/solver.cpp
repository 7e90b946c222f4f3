// Implements cuda/vendor/solver.h on the host: the engine's plain LAPACK, in the stream's thread.
#include "cuda/vendor/solver.h"

#include <algorithm>
#include <vector>

#include "cuda/emulated/launch.h"
#include "cuda/runtime/context.h"
#include "engine/cpu/plain_lapack.h"

namespace mt::cuda::solver {
namespace {

using driver::reachable;

// Enqueues work(i) for each matrix.
template <class F> void each(Stream stream, int64_t count, F work) {
  cuda::count(Count::launch);
  emulated::enqueue(stream, [=](emulated::Block&) {
    for (int64_t i = 0; i < count; ++i) work(i);
  });
}

}  // namespace

template <class T> void lu(Stream stream, int64_t count, int64_t m, int64_t n, T* a, int32_t* pivots, int32_t* infos) {
  const int64_t k = std::min(m, n);
  each(stream, count, [=, a = reachable(a), pivots = reachable(pivots), infos = reachable(infos)](int64_t i) {
    infos[i] = cpu::plain_lapack<T>().lu(m, n, a + i * m * n, pivots + i * k);
  });
}

template <class T>
void lu_solve(Stream stream, int64_t count, bool transposed, int64_t n, int64_t k, const T* factors, const int32_t* pivots, T* b) {
  each(stream, count, [=, factors = reachable(factors), pivots = reachable(pivots), b = reachable(b)](int64_t i) {
    cpu::plain_lapack<T>().lu_solve(transposed, n, k, factors + i * n * n, pivots + i * n, b + i * n * k);
  });
}

template <class T> void cholesky(Stream stream, int64_t count, bool upper, int64_t n, T* a, int32_t* infos) {
  each(stream, count,
       [=, a = reachable(a), infos = reachable(infos)](int64_t i) { infos[i] = cpu::plain_lapack<T>().cholesky(upper, n, a + i * n * n); });
}

template <class T> void qr(Stream stream, int64_t count, int64_t m, int64_t n, T* a, T* tau) {
  const int64_t k = std::min(m, n);
  each(stream, count,
       [=, a = reachable(a), tau = reachable(tau)](int64_t i) { cpu::plain_lapack<T>().qr(m, n, a + i * m * n, tau + i * k); });
}

template <class T> void qr_basis(Stream stream, int64_t count, int64_t m, int64_t k, T* a, const T* tau) {
  each(stream, count,
       [=, a = reachable(a), tau = reachable(tau)](int64_t i) { cpu::plain_lapack<T>().qr_basis(m, k, k, a + i * m * k, tau + i * k); });
}

template <class T>
void qr_multiply(Stream stream, int64_t count, const Reflectors& r, int64_t m, int64_t n, const T* a, const T* tau, T* c) {
  each(stream, count, [=, a = reachable(a), tau = reachable(tau), c = reachable(c)](int64_t i) {
    cpu::plain_lapack<T>().qr_multiply(r.left, r.transposed, m, n, r.k, r.rows, a + i * r.rows * r.cols, tau + i * r.k, c + i * m * n);
  });
}

template <class T>
void symmetric_eigen(Stream stream, int64_t count, bool vectors, bool upper, int64_t n, T* a, T* values, int32_t* infos) {
  each(stream, count, [=, a = reachable(a), values = reachable(values), infos = reachable(infos)](int64_t i) {
    infos[i] = cpu::plain_lapack<T>().symmetric_eigen(vectors, upper, n, a + i * n * n, values + i * n);
  });
}

template <class T> void singular(Stream stream, int64_t count, bool full, int64_t m, int64_t n, T* a, T* s, T* u, T* v, int32_t* infos) {
  const int64_t k = std::min(m, n), u_cols = full ? m : k, v_cols = full ? n : k;
  each(stream, count, [=, a = reachable(a), s = reachable(s), u = reachable(u), v = reachable(v), infos = reachable(infos)](int64_t i) {
    std::vector<T> v_transposed(static_cast<size_t>(n * v_cols));
    infos[i] = cpu::plain_lapack<T>().singular(full ? cpu::Vectors::full : cpu::Vectors::thin, m, n, a + i * m * n, s + i * k,
                                               u + i * m * u_cols, v_transposed.data());
    for (int64_t col = 0; col < v_cols; ++col) {
      for (int64_t row = 0; row < n; ++row) v[i * n * v_cols + row + col * n] = v_transposed[static_cast<size_t>(col + row * v_cols)];
    }
  });
}

MT_SOLVER_INSTANCES(float)
MT_SOLVER_INSTANCES(double)

}  // namespace mt::cuda::solver
