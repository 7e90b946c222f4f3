// Products of float matrices by a vendor's library. Two files define it: cuda/real/blas.cpp by cuBLAS and cuBLASLt, which are opened when
// they are first needed, and cuda/emulated/blas.cpp by plain loops. Nothing waits for the device.
//
// Matrices are column-major: an element and the one below it follow each other, `ld` leads from one column to the next. float16 and
// bfloat16 are summed in float32 and rounded once; beta = 0: c is not read. A vector is a matrix of one column: the libraries choose their
// own kernels for it.
#pragma once

#include <cstdint>

#include "cuda/runtime/driver.h"
#include "engine/core/dtype.h"

namespace mt::cuda::blas {

struct Operand {
  const void* data = nullptr;  // an address as tensors have it
  bool transposed = false;     // the product takes the transpose of what lies there
  int64_t ld = 1;
  int64_t step = 0;  // elements from one matrix of the batch to the next; 0: the same one
};

// c = beta c + alpha a b, `batch` times: a is m by k, b k by n, c m by n. No size is 0.
struct Product {
  DType dtype;
  int64_t m, n, k, batch;
  double alpha, beta;
  Operand a, b;
  void* c;
  int64_t ldc, c_step;
};

void multiply(Stream stream, const Product& product);

// Each column of c starts as `bias`, m elements, in place of what is there; one matrix. False, and nothing happens, where the library
// can't: then fill c first.
bool multiply_with_bias(Stream stream, const Product& product, const void* bias);

// The matrices of a batch wherever they are: arrays of `batch` addresses, both the arrays and what they hold as kernels see them.
struct ProductAddresses {
  const void* const* a;
  const void* const* b;
  void* const* c;
};
void multiply_each(Stream stream, const Product& product, const ProductAddresses& addresses);

// x becomes the solution of op(a) x = x, a triangular: n by n, x n by k, neither with gaps, `batch` of them after each other; float or
// double.
struct TriangularSolve {
  DType dtype;
  bool upper, transposed, unit;
  int64_t n, k, batch;
  const void* a;
  void* x;
};
void solve_triangular(Stream stream, const TriangularSolve& solve);

// Whether products of float32 may be computed in TF32, which has 11 digits of 24: faster, and far less accurate. At first they may not.
bool tf32_is_allowed();
void allow_tf32(bool allowed);

}  // namespace mt::cuda::blas
