// Shared code of the CPU's kernels of linear algebra: loops over the matrices of a batch, in several threads if there are many.
#pragma once

#include <algorithm>
#include <atomic>

#include "engine/core/mutex.h"
#include "engine/core/parallel.h"
#include "engine/cpu/lapack.h"

namespace mt::cpu {

// Calls f with the routines for a dtype, real or complex floats or doubles.
template <class F> void with_lapack(DType dtype, F f) {
  if constexpr (has_complex_dtypes) {
    if (dtype == complex_of(DType::float32)) return f(lapack<Complex<float>>());
    if (dtype == complex_of(DType::float64)) return f(lapack<Complex<double>>());
  }
  if (dtype == DType::float32)
    f(lapack<float>());
  else
    f(lapack<double>());
}

// The matrices of a tensor, one after the other.
template <class T> class Batch {
 public:
  explicit Batch(const Tensor& t) : data_(t.data<T>()), rows_(t.size(t.dim() - 2)), cols_(t.size(t.dim() - 1)) {
    for (int d = 0; d < t.dim() - 2; ++d) count_ *= t.size(d);
  }
  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }
  int64_t count() const { return count_; }
  T* operator[](int64_t i) const { return data_ + i * rows_ * cols_; }

 private:
  T* data_;
  int64_t rows_, cols_, count_ = 1;
};

// The i-th vector of a tensor of vectors.
template <class T> T* vector_at(const Tensor& t, int64_t i) { return t.data<T>() + i * t.size(t.dim() - 1); }

// Memory for the numbers of the rows that LAPACK swaps, `n` for each matrix.
inline Tensor pivots_of(int64_t count, int64_t n) { return Tensor::empty(DType::int32, {count, n}); }

// Calls f(i) for each matrix; `work`: multiplications per matrix.
template <class F> void each(int64_t count, int64_t work, F f) {
  constexpr int64_t work_a_thread = 200'000;  // multiplications
  parallel_for(count, std::max<int64_t>(1, work_a_thread / std::max<int64_t>(1, work)), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) f(i);
  });
}

// The same if f returns LAPACK's info: reports that of the first matrix that failed, and starts no later one once it is known.
template <class F> void each(int64_t count, int64_t work, MatrixFailure& failure, F f) {
  ThreadMutex lock;
  std::atomic<int64_t> first = count;
  each(count, work, [&](int64_t i) {
    if (i > first.load(std::memory_order_relaxed)) return;
    const int info = f(i);
    if (info <= 0) return;
    const std::lock_guard guard(lock);
    if (i >= first) return;
    first = i;
    failure.info = info;
  });
}

// Whether all elements are finite, so that iterations end; if not, sets the failure.
template <class T> bool all_finite(const Batch<T>& batch, MatrixFailure& failure) {
  constexpr int64_t parts = sizeof(T) / sizeof(Part<T>);
  const int64_t n = parts * batch.count() * batch.rows() * batch.cols();
  const auto* const x = reinterpret_cast<const Part<T>*>(batch[0]);
  Part<T> sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += x[i] * 0;
  if (sum == 0) return true;
  failure.info = MatrixFailure::not_finite;
  return false;
}

// Zeros the elements outside of a triangle of a rows by cols matrix.
template <class T> void clear_other_half(bool upper, int64_t rows, int64_t cols, T* a) {
  for (int64_t j = 0; j < cols; ++j) {
    const int64_t edge = std::min(j, rows);
    if (upper)
      std::fill(a + j * rows + std::min(j + 1, rows), a + (j + 1) * rows, T(0));
    else
      std::fill(a + j * rows, a + j * rows + edge, T(0));
  }
}

// LAPACK writes -0 off the diagonal of a diagonal matrix's inverse, which prints as -0.0000.
template <class T> void clear_signs_of_zeros(int64_t n, T* a) {
  for (int64_t i = 0; i < n * n; ++i) a[i] += T(0);
}

}  // namespace mt::cpu
