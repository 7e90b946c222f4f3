// The plans of matrix products.
#pragma once

#include "engine/core/geometry.h"
#include "engine/core/registry.h"
#include "engine/ops/accumulate.h"

namespace mt {

// A series of matrices of one shape and dtype; strides in elements, `step` from one matrix to the next. A vector is a matrix with one
// column.
struct Matrices {
  Address data;
  int64_t rows, cols, row_stride, col_stride, step;

  Matrices transposed() const { return {data, cols, rows, col_stride, row_stride, step}; }
};

// out = beta out + alpha a b, `batch` times; out has elements and overlaps neither operand. If beta is 0, out is not read; if alpha is 0, a
// and b are not. Integers wrap; 16-bit floats are summed in float32. The imaginary parts of alpha and beta are for complex numbers.
struct ProductPlan {
  DType dtype;
  int64_t batch;
  Matrices a, b, out;
  Number alpha, beta;
  Address bias = {};      // contiguous: initial value of every row of out, in place of its elements; beta is 1
  Geometry batches = {};  // of out, a and b: for batches of several dimensions, in place of `batch` and steps
  double alpha_imaginary = 0, beta_imaginary = 0;
};

// *out = the sum of x[i] y[i]: vectors of any stride, or contiguous, of out's dtype. 16-bit floats and float32 are summed in float64.
struct DotPlan {
  Operand x, y, out;
};

}  // namespace mt
