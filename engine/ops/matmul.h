// The plans of matrix products: matrices in memory, and by what they are multiplied.
#pragma once

#include "engine/core/geometry.h"
#include "engine/core/registry.h"
#include "engine/ops/accumulate.h"

namespace mt {

// A run of equally shaped matrices of one dtype; strides in elements, `step` from one matrix to the next. A vector is a matrix of one
// column.
struct Matrices {
  Address data;
  int64_t rows, cols, row_stride, col_stride, step;

  Matrices transposed() const { return {data, cols, rows, col_stride, row_stride, step}; }
};

// out = beta out + alpha a b, `batch` times; out has elements and overlaps neither operand. beta = 0: out is not read; alpha = 0: a and b
// are not. Integers wrap; 16-bit floats are summed in float32.
struct ProductPlan {
  DType dtype;
  int64_t batch;
  Matrices a, b, out;
  Number alpha, beta;
  Address bias = {};      // contiguous: every row of out starts as this one, in place of what it holds; beta is 1
  Geometry batches = {};  // of out, a and b: a batch of several dimensions, in place of `batch` and steps
};

// *out = the sum of x[i] y[i]: vectors of any stride, or contiguous, of out's dtype. 16-bit floats and float32 are summed in float64.
struct DotPlan {
  Operand x, y, out;
};

}  // namespace mt
