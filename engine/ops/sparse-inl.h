// Sparse matrices in compressed rows: declarations. Included inside namespace mt by each device: no include guard. A matrix with n rows is
// `rows`, a LongTensor of n + 1 positions that count from 1: entries rows[i] to rows[i + 1] - 1 belong to row i; it begins with 1 and ends
// with the number of entries + 1. `columns`, a LongTensor, and `values` have an element for each entry.

struct CsrMatmul {
  static constexpr Decl decl{
      .name = "csrMatmul",
      .signature = "[res] rows:tensor columns:tensor values:tensor x:tensor",
      .result = Rule::float_result,
      .method = Method::none,
      .dtypes = any_number_dtypes,
      .ulp = 64,
      .doc =
          "The product of a sparse matrix (n, m) in compressed rows with x (m) or (m, k): a tensor (n) or (n, k). rows has n + 1 positions "
          "from 1 of the entries at which rows begin, and after the last one their number + 1; columns has the column of each entry from "
          "1; entries of the same place add up. Errors: columns outside of x, rows that descend.",
      .samples =
          "{(positions(4, 4):sort()):mul(3):csub(2), positions(5, 9), randn(9), randn(5, 3)}, {(positions(3, 6):sort()), positions(4, 2), "
          "randn(2), randn(4)}, {(positions(4, 4):sort()):cumsum(), positions(6, 9), randn(9), randn(6, 37)}, {(positions(3, "
          "3):sort()):mul(20):csub(19), positions(7, 40), randn(40), randn(7, 70)}, {(positions(3, 3):sort()):mul(7):csub(6), positions(3, "
          "14), randn(14), randn(3)}, {positions(1, 1), positions(1, 0), randn(0), randn(2, 3)}, {positions(1, 3), positions(1, 0), "
          "randn(0), randn(2, 0)}"};
};

struct CsrSampled {
  static constexpr Decl decl{
      .name = "csrSampled",
      .signature = "[res] rows:tensor columns:tensor a:tensor b:tensor",
      .result = Rule::float_result,
      .method = Method::none,
      .dtypes = any_number_dtypes,
      .ulp = 64,
      .doc =
          "Elements of the product of a (n, k) and the transpose of b (m, k) at the entries of a sparse matrix (n, m) in compressed rows "
          "(see csrMatmul): the sum over k of a[i][k] * b[j][k] for each entry in row i and column j, a vector.",
      .samples =
          "{(positions(4, 4):sort()):mul(3):csub(2), positions(5, 9), randn(3, 4), randn(5, 4)}, {(positions(3, 6):sort()), positions(4, "
          "2), randn(5, 1), randn(4, 1)}, {(positions(4, 4):sort()):cumsum(), positions(6, 9), randn(3, 37), randn(6, 37)}, {positions(1, "
          "1), positions(1, 0), randn(0, 2), randn(2, 2)}, {(positions(3, 3):sort()), positions(2, 2), randn(2, 0), randn(2, 0)}"};
};

struct CsrExpand {
  static constexpr Decl decl{
      .name = "csrExpand",
      .signature = "[res] rows:tensor count:int",
      .result = Rule::index,
      .method = Method::none,
      .differentiable = false,
      .doc = "The row of each of `count` entries of a sparse matrix in compressed rows (see csrMatmul), from 1: a LongTensor.",
      .samples = "{(positions(4, 4):sort()):mul(3):csub(2), 9}, {(positions(3, 6):sort()), 2}, {positions(1, 1), 0}, {positions(1, 4), 0}"};
};

struct BucketSort {
  static constexpr Decl decl{
      .name = "bucketSort",
      .signature = "[first order] index:tensor count:int",
      .result = Rule::index,
      .method = Method::none,
      .differentiable = false,
      .doc =
          "Sorts a vector of integers from 1 to count by counting them. first, of count + 1 elements, has the position, from 1, at which "
          "each integer begins in the sorted order, and at the end the number of elements + 1; order has the positions of the elements in "
          "that order, equal ones as they come. Both are LongTensors.",
      .samples = "{positions(5, 9), 5}, {positions(3, 2), 4}, {positions(1, 0), 2}, {positions(1, 0), 0}, {positions(40, 100), 40}"};
};

struct CsrProduct {
  static constexpr Decl decl{
      .name = "csrProduct",
      .signature =
          "[rows columns values] aRows:tensor aColumns:tensor aValues:tensor bRows:tensor bColumns:tensor bValues:tensor width:int",
      .result = Rule::custom,
      .method = Method::none,
      .dtypes = any_number_dtypes,
      .data_dependent = true,
      .ulp = 64,
      .doc =
          "The product of two sparse matrices in compressed rows (see csrMatmul), a (n, m) and b (m, width): the rows, the columns and the "
          "values of a sparse matrix (n, width). Each row has its columns once, in ascending order, also those whose values cancel.",
      .samples =
          "{(positions(4, 4):sort()):mul(3):csub(2), positions(5, 9), randn(9), (positions(6, 6):sort()):mul(2):csub(1), positions(4, 10), "
          "randn(10), 4}, {(positions(4, 4):sort()):cumsum(), positions(5, 9), randn(9), (positions(3, 6):sort()), positions(90, 2), "
          "randn(2), 90}, {positions(1, 1), positions(1, 0), randn(0), (positions(3, 3):sort()), positions(2, 2), randn(2), 2}, "
          "{(positions(3, 3):sort()), positions(2, 2), randn(2), positions(1, 3), positions(1, 0), randn(0), 0}"};
};

struct CsrProductAt {
  static constexpr Decl decl{
      .name = "csrProductAt",
      .signature =
          "[res] rows:tensor columns:tensor aRows:tensor aColumns:tensor aValues:tensor bRows:tensor bColumns:tensor bValues:tensor "
          "width:int",
      .result = Rule::float_result,
      .method = Method::none,
      .dtypes = any_number_dtypes,
      .ulp = 64,
      .doc =
          "Elements of the product of two sparse matrices in compressed rows (see csrMatmul), a (n, m) and b (m, width), at the entries of "
          "a third one (n, width): a vector, with 0 where the product has no entry.",
      .samples =
          "{(positions(4, 4):sort()), positions(4, 3), (positions(4, 4):sort()):mul(3):csub(2), positions(5, 9), randn(9), (positions(6, "
          "6):sort()):mul(2):csub(1), positions(4, 10), randn(10), 4}, {(positions(4, 4):sort()):mul(2):csub(1), positions(3, 6), "
          "(positions(4, 4):sort()):cumsum(), positions(5, 9), randn(9), (positions(3, 6):sort()), positions(3, 2), randn(2), 3}"};
};

struct CsrSolveTriangular {
  static constexpr Decl decl{
      .name = "csrSolveTriangular",
      .signature =
          "[res] rows:tensor columns:tensor values:tensor b:tensor upper:boolean=false unit:boolean=false transposed:boolean=false",
      .result = Rule::float_result,
      .method = Method::none,
      .dtypes = any_number_dtypes,
      .ulp = 64,
      .doc =
          "Solves t x = b for a triangle t of a sparse matrix (n, n) in compressed rows (see csrMatmul): the lower one, or with upper the "
          "upper one; entries of the other triangle are ignored. unit treats the diagonal as 1; transposed solves t' x = b. b (n) or (n, "
          "k) -> x of the same sizes. A row without a diagonal element other than 0 is an error.",
      .samples =
          "{(positions(4, 4):sort()), positions(3, 3):sort(), above(3), randn(3)}, {(positions(4, 4):sort()):mul(3):csub(2), positions(3, "
          "9), above(9), randn(3, 2)}, {(positions(4, 4):sort()):mul(3):csub(2), positions(3, 9), above(9), randn(3, 1), true}, "
          "{(positions(4, 4):sort()):mul(3):csub(2), positions(3, 9), above(9), randn(3), false, false, true}, {(positions(5, "
          "5):sort()):mul(4):csub(3), positions(4, 16), above(16), randn(4, 3), true, true, true}, {(positions(1, 3):sort()), positions(1, "
          "0), randn(0), randn(2, 2), true, true}"};
};

using SparseOps = List<CsrMatmul, CsrSampled, CsrExpand, BucketSort, CsrProduct, CsrProductAt, CsrSolveTriangular>;
