// The plans of decompositions: eigenvalues, singular values, Cholesky, QR. engine/ops/linalg.h describes the layout of matrices.
#pragma once

#include "engine/ops/linalg.h"

namespace mt {

// a: n by n, symmetric, is overwritten, by the eigenvectors if `vectors` is set; values: n, ascending (syevd).
struct SymmetricEigenPlan {
  Operand a, values;
  bool vectors, upper;
  Answer<MatrixFailure> failure{};
};

// a: n by n, is overwritten; values: n by 2, row-major, real and imaginary parts, or n complex numbers; vectors: n by n, or empty if not
// wanted (geev).
struct EigenPlan {
  Operand a, values, vectors;
  Answer<MatrixFailure> failure{};
};

// a: n by n, becomes quasi-triangular, or, of complex numbers, triangular; z: n by n, its basis (gees).
struct SchurPlan {
  Operand a, z;
  Answer<MatrixFailure> failure{};
};

// a: m by n, is overwritten; with k = min(m, n), u: m by k, s: k, v: n by k, row-major, not conjugated (gesdd). Or complete bases: u m by
// m, v n by n, which are identities if a has no elements.
struct SingularPlan {
  Operand a, u, s, v;
  bool full;
  Answer<MatrixFailure> failure{};
};

// a: n by n, of which one half is read, becomes the factor of the same half, column-major, with zeros in the other (potrf).
struct CholeskyPlan {
  Operand a;
  bool upper;
  bool row_major;  // whether a is row-major in the call
  Answer<MatrixFailure> failure{};
};

// factor: n by n; x: n by k, the right-hand sides, becomes the solutions (potrs).
struct CholeskySolvePlan {
  Operand factor, x;
  bool upper;
};

// a: n by n, a Cholesky factor, becomes the inverse of the factored matrix, both halves (potri), without negative zeros.
struct CholeskyInversePlan {
  Operand a;
  bool upper;
  Answer<MatrixFailure> failure{};
};

// a: n by n, becomes the factor, with zeros in the other half; pivots: n of int32, counted from 1 (pstrf).
struct PivotedCholeskyPlan {
  Operand a, pivots;
  bool upper;
  double tolerance;
  Answer<MatrixFailure> failure{};
};

// a: m by n, is overwritten; with k = min(m, n), q: m by k, r: k by n, row-major (geqrf, orgqr).
struct QrPlan {
  Operand a, q, r;
};

// a: m by n, becomes the packed factors; tau: min(m, n) (geqrf).
struct QrFactorsPlan {
  Operand a, tau;
};

// q: m by k, the reflectors, becomes the basis; tau: k (orgqr).
struct QrBasisPlan {
  Operand q, tau;
};

// c: m by n, becomes q c, or c q if not `left`, with q or its transpose; the first k columns of `reflectors` and tau: k hold q (ormqr).
struct QrMultiplyPlan {
  Operand reflectors, tau, c;
  bool left, transposed;
};

}  // namespace mt
