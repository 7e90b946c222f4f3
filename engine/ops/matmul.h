// What a device provides for the products in matmul-inl.h; shapes, dtypes and results are dealt with before.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// A run of equally shaped matrices of one dtype; strides in elements, `step` from one matrix to the next. A vector is a matrix of one
// column.
struct Matrices {
  std::byte* data;
  int64_t rows, cols, row_stride, col_stride, step;

  Matrices transposed() const { return {data, cols, rows, col_stride, row_stride, step}; }
};

struct MatmulKernels {
  // c = beta c + alpha a b, `batch` times; c overlaps neither. beta = 0: c is not read; alpha = 0: a and b are not.
  void (*multiply)(DType dtype, int64_t batch, const Value& alpha, const Matrices& a, const Matrices& b, const Value& beta,
                   const Matrices& c);
  // The sum of x[i] y[i] over two vectors, written to *result.
  void (*dot)(DType dtype, const Matrices& x, const Matrices& y, std::byte* result);
};

}  // namespace mt
