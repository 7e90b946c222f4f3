// Decompositions, linear systems and determinants. Included inside namespace mt by the driver and by each device: no include guard. All ops
// accept float tensors (16-bit ones are computed in float32) and complex ones; leading dimensions are batches, which broadcast. Result
// matrices are column-major, as in Torch7: the first of the last two dimensions has stride 1; except svd's v, qr's r and eig's values.

struct Gesv {
  static constexpr Decl decl{
      .name = "gesv",
      .signature = "[x lu] b:tensor a:tensor",
      .method = Method::returns,
      .dtypes = inexact_dtypes,
      .ulp = 64,
      .doc =
          "Solves a x = b: returns x and the factors of a in one matrix, U and, below its diagonal, L, whose diagonal is 1. a (…, n, n), b "
          "(…, n, k) or (n), which counts as (n, 1). A singular a is an error. The order of arguments is Torch7's; see solve(a, b). "
          "Source: LAPACK's gesv, rows swapped for the largest pivot.",
      .samples =
          "{randn(3, 2), regular(3, 3)}, {randn(4), regular(4, 4)}, {randn(2, 3, 1), regular(2, 3, 3)}, {randn(20, 3), regular(20, 20)}",
      .precision = Precision::float32};
  static void plan(Call& call);
};

struct Solve {
  static constexpr Decl decl{
      .name = "solve",
      .signature = "[res] a:tensor b:tensor",
      .method = Method::returns,
      .dtypes = inexact_dtypes,
      .ulp = 64,
      .doc =
          "Solves a x = b: a (…, n, n), b (…, n, k) -> x (…, n, k), with leading dimensions broadcast; for a vector b (n), x is (…, n). A "
          "singular a is an error. Source: LAPACK's getrf and getrs.",
      .samples =
          "{regular(3, 3), randn(3, 2)}, {regular(4, 4), randn(4)}, {regular(2, 3, 3), randn(3, 2)}, {regular(3, 3), randn(2, 3, 1)}, "
          "{regular(0, 3, 3), randn(3, 1)}",
      .precision = Precision::float32};
  static void plan(Call& call);
};

struct Trtrs {
  static constexpr Decl decl{
      .name = "trtrs",
      .signature = "[x copy] b:tensor a:tensor uplo:string=U trans:string=N diag:string=N",
      .method = Method::returns,
      .dtypes = inexact_dtypes,
      .ulp = 64,
      .doc =
          "Solves a x = b for a triangular a, whose other half is not read: returns x and a copy of a. uplo: 'U' upper or 'L' lower; "
          "trans: 'T' uses a's transpose, 'C' its conjugate transpose, 'N' neither; diag: 'U' treats the diagonal as 1, 'N' does not. "
          "a (…, n, n), b (…, n, k) or (n). A 0 on the diagonal is an error.",
      .samples =
          "{randn(3, 2), regular(3, 3)}, {randn(3, 2), regular(3, 3), 'L'}, {randn(3, 2), regular(3, 3), 'U', 'T'}, "
          "{randn(3, 2), regular(3, 3), 'L', 'T', 'U'}, {randn(3), regular(3, 3), 'T'}, {randn(2, 3, 2), regular(2, 3, 3)}",
      .precision = Precision::float32};
  static void plan(Call& call);
};

struct Gels {
  static constexpr Decl decl{
      .name = "gels",
      .signature = "[x qr] b:tensor a:tensor",
      .method = Method::returns,
      .dtypes = inexact_dtypes,
      .ulp = 256,
      .doc =
          "Least squares: returns the x that minimises |a x - b|, the shortest one if there are several, and the packed QR factors of a "
          "(LQ if a is wide). a (…, m, n) of full rank, b (…, m, k) or (m) -> x (…, n, k). A rank deficiency is an error if it is found "
          "exactly; lstsq accepts any rank. Source: LAPACK's gels.",
      .samples =
          "{randn(4, 2), regular(4, 3)}, {randn(2, 2), regular(2, 4)}, {randn(3), regular(3, 3)}, {randn(2, 4, 1), regular(2, 4, 2)}",
      .precision = Precision::float32};
  static void plan(Call& call);
};

struct Symeig {
  static constexpr Decl decl{
      .name = "symeig",
      .signature = "[values vectors] a:tensor jobz:string=N uplo:string=U",
      .result = Rule::real,
      .method = Method::returns,
      .dtypes = inexact_dtypes,
      .ulp = 64,
      .doc =
          "Eigenvalues e and eigenvectors v of a symmetric matrix, a = v diag(e) v': e is ascending; with jobz 'V' the columns of v are "
          "the eigenvectors, with 'N' v is empty. Only the upper triangle is read, or the lower one with uplo 'L'. a (…, n, n) -> (…, n), "
          "(…, n, n). Of a complex matrix, which is Hermitian, e is real, and v' the conjugate transpose. NaN and infinities are an error. "
          "Source: LAPACK's syevd and heevd.",
      .samples =
          "{definite(3, 3)}, {definite(3, 3), 'V'}, {definite(3, 3), 'V', 'L'}, {definite(2, 3, 3), 'V'}, {definite(10, 10), 'N', 'L'}",
      .precision = Precision::float32};
  static void plan(Call& call);
};

struct Eig {
  static constexpr Decl decl{.name = "eig",
                             .signature = "[values vectors] a:tensor jobz:string=N",
                             .method = Method::returns,
                             .dtypes = inexact_dtypes,
                             .ulp = 256,
                             .doc =
                                 "Eigenvalues of a square matrix, one row each with real and imaginary part; with jobz 'V' also its "
                                 "eigenvectors as columns, otherwise the second result is empty. For a complex pair, two columns have the "
                                 "real and the imaginary part of the first one's eigenvector. a (…, n, n) -> (…, n, 2), (…, n, n). Of a "
                                 "complex matrix: complex values (…, n) and vectors; torch.linalg.eig has them of real ones, too. Vectors "
                                 "have length 1, and their largest element is real. The derivative exists if the eigenvalues are "
                                 "different. NaN and infinities are an error. Source: LAPACK's geev.",
                             .samples = "{regular(4, 4), 'V'}, {regular(2, 2, 2)}, {regular(2, 2)}",
                             .precision = Precision::float32};
  static void plan(Call& call);
};

struct Schur {
  static constexpr Decl decl{
      .name = "schur",
      .signature = "[t z] a:tensor",
      .method = Method::returns,
      .dtypes = inexact_dtypes,
      .differentiable = false,
      .ulp = 256,
      .doc =
          "The real Schur form of a square matrix, a = z t z' with an orthogonal z: t is upper triangular, but for a "
          "block of two rows for each complex pair of eigenvalues, whose diagonal elements are equal; of a complex matrix "
          "triangular, with a unitary z. a (…, n, n) -> (…, n, n), (…, n, n). The order of the eigenvalues is free. No "
          "derivative. NaN and infinities are an error. Source: LAPACK's gees.",
      .samples = "{definite(3, 3)}, {regular(4, 4)}, {regular(2, 3, 3)}, {unit(1, 1)}",
      .precision = Precision::float32};
  static void plan(Call& call);
};

struct Svd {
  static constexpr Decl decl{
      .name = "svd",
      .signature = "[u s v] a:tensor jobu:string=S",
      .method = Method::returns,
      .dtypes = inexact_dtypes,
      .ulp = 64,
      .doc =
          "a = u diag(s) v', s descending: a (…, m, n), k = min(m, n) -> u (…, m, k), s (…, k), v (…, n, k); v is not transposed. With "
          "jobu 'A', u (…, m, m) and v (…, n, n) are complete bases. Of a complex matrix s is real, and v' the conjugate transpose. NaN "
          "and infinities are an error. Source: LAPACK's gesdd.",
      .samples = "{regular(3, 3)}, {regular(4, 3)}, {regular(2, 3)}, {regular(2, 3, 2)}, {regular(3, 2), 'A'}",
      .precision = Precision::float32};
  static void plan(Call& call);
};

struct Inverse {
  static constexpr Decl decl{.name = "inverse",
                             .signature = "[res] a:tensor",
                             .method = Method::returns,
                             .dtypes = inexact_dtypes,
                             .ulp = 64,
                             .doc =
                                 "The inverse of a square matrix: a (…, n, n). A singular a is an error. By LU factors; solve is faster "
                                 "and more exact than a product with the inverse.",
                             .samples = "{regular(3, 3)}, {regular(2, 3, 3)}, {regular(1, 1)}, {regular(20, 20)}",
                             .alias = "inv",
                             .precision = Precision::float32};
  static void plan(Call& call);
};

struct Det {
  static constexpr Decl decl{.name = "det",
                             .signature = "[res] a:tensor",
                             .method = Method::returns,
                             .scalar = true,
                             .dtypes = inexact_dtypes,
                             .ulp = 64,
                             .doc =
                                 "The determinant of a square matrix, a number; for a batch (…, n, n), one for each matrix: (…). By LU "
                                 "factors; logdet and slogdet don't overflow.",
                             .samples = "{regular(3, 3)}, {regular(2, 3, 3)}, {regular(1, 1)}, {full(0, 2, 2)}",
                             .precision = Precision::float32};
  static void plan(Call& call);
};

struct Logdet {
  static constexpr Decl decl{.name = "logdet",
                             .signature = "[res] a:tensor",
                             .method = Method::returns,
                             .scalar = true,
                             .dtypes = inexact_dtypes,
                             .ulp = 64,
                             .doc =
                                 "The logarithm of the determinant of a square matrix, without overflow; for a batch (…, n, n), one for "
                                 "each matrix: (…). NaN if the determinant is negative, -inf if it is 0; of a complex matrix, the complex "
                                 "logarithm, with an angle from -pi to pi.",
                             .samples = "{definite(3, 3)}, {definite(2, 3, 3)}, {full(0, 2, 2)}",
                             .precision = Precision::float32};
  static void plan(Call& call);
};

struct Slogdet {
  static constexpr Decl decl{.name = "slogdet",
                             .signature = "[sign logabs] a:tensor",
                             .method = Method::returns,
                             .dtypes = inexact_dtypes,
                             .ulp = 64,
                             .doc =
                                 "Sign and logarithm of the magnitude of the determinant of a square matrix, tensors of size {1}; for a "
                                 "batch (…, n, n), one for each matrix: (…). 0 and -inf for a singular matrix. Of a complex matrix, the "
                                 "sign is a complex number of magnitude 1, and the logarithm is real.",
                             .samples = "{regular(3, 3)}, {regular(2, 3, 3)}, {full(0, 2, 2)}",
                             .precision = Precision::float32};
  static void plan(Call& call);
};

struct Lu {
  static constexpr Decl decl{
      .name = "lu",
      .signature = "[p l u] a:tensor",
      .method = Method::returns,
      .dtypes = inexact_dtypes,
      .ulp = 64,
      .doc =
          "a = p l u with a permutation p, a unit lower triangular l and an upper triangular u: a (…, m, n), k = min(m, n) -> p (…, m, m), "
          "l (…, m, k), u (…, k, n). Rows are swapped for the largest pivot. Source: LAPACK's getrf.",
      .samples = "{regular(3, 3)}, {regular(4, 2)}, {regular(2, 4)}, {regular(2, 3, 3)}",
      .precision = Precision::float32};
  static void plan(Call& call);
};

struct Potrf {
  static constexpr Decl decl{.name = "potrf",
                             .signature = "[res] a:tensor uplo:string=U",
                             .method = Method::returns,
                             .dtypes = inexact_dtypes,
                             .ulp = 64,
                             .doc =
                                 "Cholesky's factor of a symmetric positive definite matrix: the upper u with a = u' u, or with uplo 'L' "
                                 "the lower l with a = l l'. Reads only that triangle of a (…, n, n). A matrix that is not positive "
                                 "definite is an error. Of a complex matrix, which is Hermitian, ' is the conjugate transpose. The "
                                 "gradient is symmetric, or Hermitian. Source: LAPACK's potrf.",
                             .samples = "{definite(3, 3)}, {definite(3, 3), 'L'}, {definite(2, 3, 3)}, {definite(20, 20)}",
                             .precision = Precision::float32};
  static void plan(Call& call);
};

struct Cholesky {
  static constexpr Decl decl{.name = "cholesky",
                             .signature = "[res] a:tensor upper:boolean=false",
                             .method = Method::returns,
                             .dtypes = inexact_dtypes,
                             .ulp = 64,
                             .doc =
                                 "Cholesky's factor of a symmetric positive definite matrix: the lower l with a = l l', or with `upper` "
                                 "the u with a = u' u. Reads only that triangle of a (…, n, n). A matrix that is not positive definite is "
                                 "an error. Of a complex matrix, which is Hermitian, ' is the conjugate transpose. The gradient is "
                                 "symmetric, or Hermitian. Source: LAPACK's potrf.",
                             .samples = "{definite(3, 3)}, {definite(3, 3), true}, {definite(2, 3, 3)}",
                             .precision = Precision::float32};
  static void plan(Call& call);
};

struct Potrs {
  static constexpr Decl decl{
      .name = "potrs",
      .signature = "[res] b:tensor factor:tensor uplo:string=U",
      .method = Method::returns,
      .dtypes = inexact_dtypes,
      .ulp = 64,
      .doc =
          "Solves a x = b from a's Cholesky factor, as potrf returns it, upper or, with uplo 'L', lower; the other triangle is not read. "
          "factor (…, n, n), b (…, n, k) or (n), which counts as (n, 1).",
      .samples =
          "{randn(3, 2), regular(3, 3)}, {randn(3, 2), regular(3, 3), 'L'}, {randn(3), regular(3, 3)}, {randn(2, 3, 1), regular(3, 3)}",
      .precision = Precision::float32};
  static void plan(Call& call);
};

struct Potri {
  static constexpr Decl decl{
      .name = "potri",
      .signature = "[res] factor:tensor uplo:string=U",
      .method = Method::returns,
      .dtypes = inexact_dtypes,
      .ulp = 64,
      .doc =
          "The inverse of a symmetric matrix (both triangles) from its Cholesky factor, as potrf returns it, upper or, with uplo 'L', "
          "lower; the other triangle is not read. factor (…, n, n). A 0 on the diagonal is an error.",
      .samples = "{regular(3, 3)}, {regular(3, 3), 'L'}, {regular(2, 3, 3)}",
      .precision = Precision::float32};
  static void plan(Call& call);
};

struct Pstrf {
  static constexpr Decl decl{.name = "pstrf",
                             .signature = "[res pivots] a:tensor uplo:string=U tol:number=-1",
                             .method = Method::returns,
                             .dtypes = inexact_dtypes,
                             .differentiable = false,
                             .ulp = 64,
                             .doc =
                                 "Cholesky's factor u of a symmetric matrix a (…, n, n) with rows and columns in the order of `pivots`, an "
                                 "IntTensor from 1: a[p][p] = u' u; with uplo 'L' the lower l with l l'. Each pivot is the largest "
                                 "remaining diagonal element. A pivot of `tol` or less (by default n epsilons of the largest) is an error: "
                                 "a does not have full rank, or is not positive. No derivative: potrf has one. Source: LAPACK's pstrf.",
                             .samples = "{definite(3, 3)}, {definite(3, 3), 'L'}, {definite(4, 4), 'U', 1e-6}",
                             .precision = Precision::float32};
  static void plan(Call& call);
};

struct Qr {
  static constexpr Decl decl{
      .name = "qr",
      .signature = "[q r] a:tensor",
      .method = Method::returns,
      .dtypes = inexact_dtypes,
      .ulp = 64,
      .doc =
          "a = q r with orthonormal columns in q and an upper triangular r: a (…, m, n), k = min(m, n) -> q (…, m, k), r (…, k, n). The "
          "signs are those of Householder's reflections, so that r's diagonal may be negative; it is real. Source: LAPACK's geqrf, orgqr "
          "and ungqr.",
      .samples = "{regular(3, 3)}, {regular(4, 2)}, {regular(2, 4)}, {regular(2, 3, 3)}",
      .precision = Precision::float32};
  static void plan(Call& call);
};

struct Geqrf {
  static constexpr Decl decl{
      .name = "geqrf",
      .signature = "[m tau] a:tensor",
      .method = Method::returns,
      .dtypes = inexact_dtypes,
      .differentiable = false,
      .ulp = 64,
      .doc =
          "QR factors as LAPACK packs them, for orgqr and ormqr: r in and above the diagonal, below it the reflectors v, without v[i] = 1; "
          "q is the product of I - tau[i] v v'. a (…, m, n), k = min(m, n) -> (…, m, n), (…, k). No derivative: qr has one.",
      .samples = "{regular(3, 3)}, {regular(4, 2)}, {regular(2, 4)}, {regular(2, 3, 3)}",
      .precision = Precision::float32};
  static void plan(Call& call);
};

struct Orgqr {
  static constexpr Decl decl{.name = "orgqr",
                             .signature = "[q] m:tensor tau:tensor",
                             .method = Method::returns,
                             .dtypes = inexact_dtypes,
                             .differentiable = false,
                             .ulp = 64,
                             .doc = "q from the QR factors of geqrf: m (…, m, n), tau (…, k) -> (…, m, k). No derivative: qr has one.",
                             .samples = "{regular(4, 3), unit(3)}, {regular(3, 3), unit(2)}, {regular(2, 4, 3), unit(2, 3)}",
                             .precision = Precision::float32};
  static void plan(Call& call);
};

struct Ormqr {
  static constexpr Decl decl{.name = "ormqr",
                             .signature = "[res] m:tensor tau:tensor c:tensor side:string=L trans:string=N",
                             .method = Method::returns,
                             .dtypes = inexact_dtypes,
                             .differentiable = false,
                             .ulp = 64,
                             .doc =
                                 "q c for the square q from the factors of geqrf; side 'R': c q; trans 'T' or 'C': q', the conjugate "
                                 "transpose of a complex q, instead of q. m (…, r, k), tau (…, k), c (…, r, n), or (…, n, r) with side "
                                 "'R'. No derivative: qr has one.",
                             .samples =
                                 "{regular(4, 3), unit(3), randn(4, 2)}, {regular(4, 3), unit(3), randn(4, 2), 'L', 'T'}, {regular(4, 3), "
                                 "unit(3), randn(2, 4), 'R'}, "
                                 "{regular(4, 3), unit(3), randn(2, 4), 'R', 'T'}, {regular(4, 3), unit(3), randn(4, 2), 'T'}",
                             .precision = Precision::float32};
  static void plan(Call& call);
};

using LinalgOps = List<Gesv, Solve, Trtrs, Gels, Inverse, Det, Logdet, Slogdet, Lu>;
using DecompositionOps = List<Symeig, Eig, Schur, Svd, Potrf, Cholesky, Potrs, Potri, Pstrf, Qr, Geqrf, Orgqr, Ormqr>;
