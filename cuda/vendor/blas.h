// Products of float and complex matrices by a vendor's library. Two files implement it: cuda/real/blas.cpp with cuBLAS and cuBLASLt, which
// are loaded on first use, and cuda/emulated/blas.cpp with plain loops. No function waits for the device.
//
// Matrices are column-major: an element and the one below it are adjacent, and `ld` is the distance of columns. Sums of float16 and
// bfloat16 are in float32 and rounded once. If beta is 0, c is not read. A vector is a matrix with one column: the libraries choose special
// kernels for it.
#pragma once

#include <cstdint>

#include "cuda/runtime/driver.h"
#include "engine/core/dtype.h"

namespace mt::cuda::blas {

struct Operand {
  const void* data = nullptr;  // an address as in tensors
  bool transposed = false;     // whether the product uses the transpose of the stored matrix
  int64_t ld = 1;
  int64_t step = 0;  // elements from one matrix of the batch to the next; 0: the same matrix for all
};

// A factor of a product; of real matrices it has no imaginary part.
using Factor = Complex<double>;

// c = beta c + alpha a b, `batch` times: a is m by k, b k by n, c m by n. No size is 0.
struct Product {
  DType dtype;
  int64_t m, n, k, batch;
  Factor alpha, beta;
  Operand a, b;
  void* c;
  int64_t ldc, c_step;
};

void multiply(Stream stream, const Product& product);

// The same for one matrix, with `bias`, m elements, as the initial value of each column of c. If the library doesn't support it, it does
// nothing and returns false: then fill c first.
bool multiply_with_bias(Stream stream, const Product& product, const void* bias);

// The addresses of a batch's matrices: arrays of `batch` addresses. The arrays and their entries are addresses as kernels use them.
struct ProductAddresses {
  const void* const* a;
  const void* const* b;
  void* const* c;
};
void multiply_each(Stream stream, const Product& product, const ProductAddresses& addresses);

// Replaces x by the solution y of op(a) y = x, for `batch` consecutive matrices without gaps: a, n by n, is triangular, and x is n by k;
// float or double.
struct TriangularSolve {
  DType dtype;
  bool upper, transposed, unit;
  int64_t n, k, batch;
  const void* a;
  void* x;
};
void solve_triangular(Stream stream, const TriangularSolve& solve);

// Whether products of float32 may use TF32, which has 11 instead of 24 bits of precision: faster, and far less accurate. Default: false.
bool tf32_is_allowed();
void allow_tf32(bool allowed);

}  // namespace mt::cuda::blas
