// The plans of ops on sparse matrices in compressed rows, in blocks and of diagonals.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// A sparse matrix. All operands are contiguous; rows and columns are int64 and count from 1; columns are within the matrix. values has the
// dtype of the result, or no storage if only the places matter. Kernels check that rows ascend from 1 to the number of entries + 1.
struct CsrOperand {
  Operand rows, columns, values = {};
};

// Plans are launched twice: first without results, to check the rows before results change, then with them.

// x has rows of `width` elements, and as many has out. If out is new, `columns` may be outside of the matrix: the kernel raises an error
// for them. To check them before would read them twice, which takes a third of the time of a product with a vector.
struct CsrMatmulPlan {
  CsrOperand matrix;
  Operand x, out = {};
  int64_t width = 0;
  bool checks_columns = false;
};

// Sizes of blocks: of single elements for a matrix in compressed rows.
struct BlockSizes {
  int64_t rows = 1, columns = 1;
};

// The values of the matrix are blocks, row-major. x has rows of `width` elements, and as many has out: the product of the matrix with x, or
// of its transpose. `columns` are checked as in CsrMatmulPlan. No 16-bit float.
struct BsrMatmulPlan {
  CsrOperand matrix;
  BlockSizes block;
  Operand x, out = {};
  int64_t width = 0;
  bool checks_columns = false;
};

// a and b have rows of `width` elements; out has a block for each entry.
struct BsrSampledPlan {
  CsrOperand matrix;
  BlockSizes block;
  Operand a, b, out = {};
  int64_t width = 0;
};

// Element (k, j) of data is that of a matrix in row j - offsets[k], column j. out is the product of the matrix or its transpose with x.
struct DiaMatmulPlan {
  Operand data, offsets, x, out;
  int64_t width = 0;
  bool transposed = false;
};

// out (diagonals, columns): products of rows of a with rows of b, which have `width` elements.
struct DiaSampledPlan {
  Operand offsets, a, b, out;
  int64_t width = 0;
};

// a and b have rows of `width` elements; out has an element for each entry.
struct CsrSampledPlan {
  CsrOperand matrix;
  Operand a, b, out = {};
  int64_t width = 0;
};

struct CsrExpandPlan {
  Operand rows, out = {};
  int64_t count = 0;
};

// index has integers from 1 to the number of elements of first - 1.
struct BucketSortPlan {
  Operand index, first, order;
};

// The first launch counts the entries of the product in each row: rows, of one element more than a has rows, becomes complete. The second
// launch computes columns and values.
struct CsrProductPlan {
  CsrOperand a, b;
  int64_t width;
  Operand rows, columns = {}, values = {};
  Answer<int64_t> count{};
};

struct CsrProductAtPlan {
  CsrOperand at, a, b;
  int64_t width;
  Operand out = {};
};

// out begins as b, whose dtype it has: no 16-bit float.
struct CsrSolveTriangularPlan {
  CsrOperand matrix;
  Operand out = {};
  int64_t width = 0;
  bool upper = false, unit = false, transposed = false;
};

void plan_csr_matmul(Call& call);
void plan_csr_sampled(Call& call);
void plan_csr_transposed_matmul(Call& call);
void plan_bsr_matmul(Call& call);
void plan_bsr_transposed_matmul(Call& call);
void plan_bsr_sampled(Call& call);
void plan_dia_matmul(Call& call);
void plan_dia_sampled(Call& call);
void plan_csr_expand(Call& call);
void plan_bucket_sort(Call& call);
void plan_csr_product(Call& call);
void plan_csr_product_at(Call& call);
void plan_csr_solve_triangular(Call& call);

}  // namespace mt
