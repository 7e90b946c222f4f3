// Dense products on raw memory, for every real dtype and any strides: the vendor's BLAS if it is faster, else plain loops.
//
// Matrices are views with a stride for each dimension, in elements; a transpose swaps the two and is never copied. If beta is 0, the result
// is not read (it may be uninitialised); if alpha is 0, the operands are not. Integers wrap; 16-bit floats accumulate in float32. The
// result must not overlap an operand. Results are the same bits for any number of threads.
#pragma once

#include <cstdint>
#include <type_traits>

#include "engine/core/dtype.h"

namespace mt::cpu {

template <class T> struct MatrixView {
  T* data;
  int64_t rows, cols, row_stride, col_stride;

  MatrixView transposed() const { return {data, cols, rows, col_stride, row_stride}; }
  MatrixView block(int64_t row, int64_t col, int64_t row_count, int64_t col_count) const {
    return {data + row * row_stride + col * col_stride, row_count, col_count, row_stride, col_stride};
  }
  T& at(int64_t row, int64_t col) const { return data[row * row_stride + col * col_stride]; }
  operator MatrixView<const T>() const { return {data, rows, cols, row_stride, col_stride}; }
};
template <class T> using ConstMatrix = std::type_identity_t<MatrixView<const T>>;

template <class T> struct VectorView {
  T* data;
  int64_t size, stride;
  operator VectorView<const T>() const { return {data, size, stride}; }
};
template <class T> using ConstVector = std::type_identity_t<VectorView<const T>>;

// c = beta c + alpha a b;  a (m, k), b (k, n), c (m, n)
template <class T> void gemm(Compute<T> alpha, ConstMatrix<T> a, ConstMatrix<T> b, Compute<T> beta, MatrixView<T> c);

// c[i] = beta c[i] + alpha a[i] b[i] for i in 0..batch: the views are the first matrices, the steps lead to the next (0, for operands: the
// same matrix each time).
template <class T> void batched_gemm(int64_t batch, Compute<T> alpha, ConstMatrix<T> a, int64_t a_step, ConstMatrix<T> b, int64_t b_step,
                                     Compute<T> beta, MatrixView<T> c, int64_t c_step);

// y = beta y + alpha a x;  a (m, n), x (n), y (m)
template <class T> void gemv(Compute<T> alpha, ConstMatrix<T> a, ConstVector<T> x, Compute<T> beta, VectorView<T> y);

// a = a + alpha x y';  x (m), y (n), a (m, n)
template <class T> void ger(Compute<T> alpha, ConstVector<T> x, ConstVector<T> y, MatrixView<T> a);

// The sum of x[i] y[i]: floats in double (in runs of float32 short enough to keep 6 digits), integers wrapping in 64 bits.
template <class T> using DotResult = std::conditional_t<std::is_integral_v<T>, int64_t, double>;
template <class T> DotResult<T> dot(VectorView<const T> x, VectorView<const T> y);

// gemm without a BLAS: for integers and for machines without one; specs compare with it.
template <class T> void plain_gemm(Compute<T> alpha, ConstMatrix<T> a, ConstMatrix<T> b, Compute<T> beta, MatrixView<T> c);

}  // namespace mt::cpu
