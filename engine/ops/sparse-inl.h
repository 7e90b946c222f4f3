// Sparse matrices in compressed rows: declarations. Included inside namespace mt by each device: no include guard. A matrix with n rows is
// `rows`, a LongTensor of n + 1 positions that count from 1: entries rows[i] to rows[i + 1] - 1 belong to row i; it begins with 1 and ends
// with the number of entries + 1. `columns`, a LongTensor, and `values` have an element for each entry. A matrix in blocks has these of its
// blocks.

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

struct CsrTransposedMatmul {
  static constexpr Decl decl{
      .name = "csrTransposedMatmul",
      .signature = "[res] rows:tensor columns:tensor values:tensor x:tensor count:int",
      .result = Rule::float_result,
      .method = Method::none,
      .dtypes = any_number_dtypes,
      .ulp = 64,
      .doc =
          "The product of the transpose of a sparse matrix (n, count) in compressed rows (see csrMatmul) with x (n) or (n, k): a tensor "
          "(count) or (count, k). It is the product of a matrix (count, n) in compressed columns.",
      .samples =
          "{(positions(4, 4):sort()):mul(3):csub(2), positions(5, 9), randn(9), randn(3, 3), 5}, {(positions(3, 6):sort()), positions(4, "
          "2), randn(2), randn(5), 4}, {(positions(4, 4):sort()):cumsum(), positions(6, 9), randn(9), randn(3, 37), 6}, {(positions(3, "
          "3):sort()):mul(7):csub(6), positions(3, 14), randn(14), randn(2), 7}, {positions(1, 1), positions(1, 0), randn(0), randn(0, 3), "
          "2}, {positions(1, 3), positions(1, 0), randn(0), randn(2, 0), 0}"};
};

struct BsrMatmul {
  static constexpr Decl decl{
      .name = "bsrMatmul",
      .signature = "[res] rows:tensor columns:tensor blocks:tensor x:tensor",
      .result = Rule::float_result,
      .method = Method::none,
      .dtypes = any_number_dtypes,
      .ulp = 64,
      .doc =
          "The product of a sparse matrix (n r, m c) of blocks (b, r, c) with x (m c) or (m c, k): a tensor (n r) or (n r, k). rows and "
          "columns are as in csrMatmul, of blocks: rows has n + 1 positions of blocks, and columns the column of each among those of "
          "blocks. Blocks of the same place add up.",
      .samples =
          "{(positions(4, 4):sort()):mul(3):csub(2), positions(2, 9), randn(9, 2, 3), randn(6, 5)}, {(positions(3, 6):sort()), "
          "positions(4, "
          "2), randn(2, 3, 1), randn(4)}, {(positions(3, 3):sort()):mul(3):csub(2), positions(3, 6), randn(6, 5, 19), randn(57)}, "
          "{(positions(3, 3):sort()):mul(2):csub(1), positions(2, 4), randn(4, 7, 2), randn(4, 70)}, {(positions(2, 2):sort()), "
          "positions(2, 1), randn(1, 4, 4), randn(8)}, {positions(1, 1), positions(1, 0), randn(0, 2, 2), randn(4, 3)}"};
};

struct BsrTransposedMatmul {
  static constexpr Decl decl{
      .name = "bsrTransposedMatmul",
      .signature = "[res] rows:tensor columns:tensor blocks:tensor x:tensor count:int",
      .result = Rule::float_result,
      .method = Method::none,
      .dtypes = any_number_dtypes,
      .ulp = 64,
      .doc =
          "The product of the transpose of a sparse matrix (n r, count) of blocks (b, r, c) (see bsrMatmul) with x (n r) or (n r, k): a "
          "tensor (count) or (count, k).",
      .samples =
          "{(positions(4, 4):sort()):mul(3):csub(2), positions(2, 9), randn(9, 2, 3), randn(6, 5), 6}, {(positions(3, 6):sort()), "
          "positions(4, 2), randn(2, 3, 1), randn(15), 4}, {(positions(3, 3):sort()):mul(3):csub(2), positions(3, 6), randn(6, 5, 19), "
          "randn(10), 57}, {(positions(3, 3):sort()):mul(2):csub(1), positions(2, 4), randn(4, 2, 7), randn(4, 70), 14}, {(positions(2, "
          "2):sort()), positions(2, 1), randn(1, 4, 4), randn(4), 8}, {positions(1, 1), positions(1, 0), randn(0, 2, 2), randn(0, 3), 4}"};
};

struct BsrSampled {
  static constexpr Decl decl{
      .name = "bsrSampled",
      .signature = "[res] rows:tensor columns:tensor a:tensor b:tensor r:int c:int",
      .result = Rule::float_result,
      .method = Method::none,
      .dtypes = any_number_dtypes,
      .ulp = 64,
      .doc =
          "Elements of the product of a (n r, k) and the transpose of b (m c, k) in the blocks of a sparse matrix (see bsrMatmul): blocks "
          "(b, r, c).",
      .samples =
          "{(positions(4, 4):sort()):mul(3):csub(2), positions(2, 9), randn(6, 4), randn(6, 4), 2, 3}, {(positions(3, 6):sort()), "
          "positions(4, 2), randn(15, 1), randn(4, 1), 3, 1}, {positions(1, 1), positions(1, 0), randn(0, 2), randn(4, 2), 2, 2}, "
          "{(positions(3, 3):sort()), positions(2, 2), randn(4, 0), randn(2, 0), 2, 1}"};
};

struct DiaMatmul {
  static constexpr Decl decl{
      .name = "diaMatmul",
      .signature = "[res] data:tensor offsets:tensor x:tensor count:int transposed:boolean=false",
      .result = Rule::float_result,
      .method = Method::none,
      .dtypes = any_number_dtypes,
      .ulp = 64,
      .doc =
          "The product of a matrix (count, m) of diagonals with x (m) or (m, k): a tensor (count) or (count, k). data (d, w) has element j "
          "of row i = j - offsets[k] in its row k; elements outside of the matrix are ignored. transposed: the product of the transpose of "
          "a "
          "matrix (m, count).",
      .samples =
          "{randn(3, 5), positions(3, 3), randn(5, 4), 6}, {randn(3, 5), positions(3, 3):csub(2), randn(5), 4}, {randn(2, 3), positions(2, "
          "2):csub(2), randn(7, 37), 7}, {randn(2, 40), positions(2, 2), randn(30), 50}, {randn(3, 5), positions(3, 3):csub(2), randn(4, "
          "2), 6, true}, {randn(2, 40), positions(2, 2), randn(30), 50, true}, {randn(1, 3), positions(1, 1):mul(9), randn(3), 3}, "
          "{randn(0, "
          "3), positions(1, 0), randn(3), 2}, {randn(1, 3), positions(1, 1), randn(3, 0), 2}"};
};

struct DiaSampled {
  static constexpr Decl decl{
      .name = "diaSampled",
      .signature = "[res] offsets:tensor a:tensor b:tensor width:int",
      .result = Rule::float_result,
      .method = Method::none,
      .dtypes = any_number_dtypes,
      .ulp = 64,
      .doc =
          "Elements of the product of a (n, k) and the transpose of b (m, k) on diagonals (see diaMatmul): a tensor (d, width), 0 in "
          "places "
          "outside of the product.",
      .samples =
          "{positions(3, 3):csub(2), randn(4, 2), randn(5, 2), 5}, {positions(2, 2), randn(40, 1), randn(30, 1), 35}, {positions(2, "
          "2):csub(2), randn(4, 19), randn(3, 19), 2}, {positions(1, 0), randn(2, 3), randn(2, 3), 2}, {positions(1, 1), randn(2, 0), "
          "randn(2, 0), 2}"};
};

using SparseOps = List<CsrMatmul, CsrSampled, CsrExpand, BucketSort, CsrProduct, CsrProductAt, CsrSolveTriangular, CsrTransposedMatmul,
                       BsrMatmul, BsrTransposedMatmul, BsrSampled, DiaMatmul, DiaSampled>;
