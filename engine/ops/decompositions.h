// The plans of decompositions: eigenvalues, singular values, Cholesky, QR. Matrices lie as engine/ops/linalg.h says.
#pragma once

#include "engine/ops/linalg.h"

namespace mt {

// a: n by n, symmetric, is overwritten, by the eigenvectors where `vectors` are wanted; values: n, ascending (syevd).
struct SymmetricEigenPlan {
  const Tensor &a, &values;
  bool vectors, upper;
  MatrixFailure& failure;
};

// a: n by n, is overwritten; values: n by 2, row-major, real and imaginary parts; vectors: n by n, or empty where not wanted (geev).
struct EigenPlan {
  const Tensor &a, &values, &vectors;
  MatrixFailure& failure;
};

// a: m by n, is overwritten; with k = min(m, n), u: m by k, s: k, v: n by k, row-major (gesdd). Or whole bases: u m by m, v n by n, which
// are identities where a has no elements.
struct SingularPlan {
  const Tensor &a, &u, &s, &v;
  bool full;
  MatrixFailure& failure;
};

// a: n by n, of which one half is read, becomes the factor of the same half, column-major, with zeros in the other (potrf).
struct CholeskyPlan {
  const Tensor& a;
  bool upper;
  bool row_major;  // a is, as given
  MatrixFailure& failure;
};

// factor: n by n; x: n by k, the right-hand sides, becomes the solutions (potrs).
struct CholeskySolvePlan {
  const Tensor &factor, &x;
  bool upper;
};

// a: n by n, a factor, becomes the inverse of what has it, whole (potri), without negative zeros.
struct CholeskyInversePlan {
  const Tensor& a;
  bool upper;
  MatrixFailure& failure;
};

// a: n by n, becomes the factor, with zeros in the other half; pivots: n of int32, counted from 1 (pstrf).
struct PivotedCholeskyPlan {
  const Tensor &a, &pivots;
  bool upper;
  double tolerance;
  MatrixFailure& failure;
};

// a: m by n, is overwritten; with k = min(m, n), q: m by k, r: k by n, row-major (geqrf, orgqr).
struct QrPlan {
  const Tensor &a, &q, &r;
};

// a: m by n, becomes the packed factors; tau: min(m, n) (geqrf).
struct QrFactorsPlan {
  const Tensor &a, &tau;
};

// q: m by k, the reflectors, becomes the basis; tau: k (orgqr).
struct QrBasisPlan {
  const Tensor &q, &tau;
};

// c: m by n, becomes q c, or c q where not `left`, with q or its transpose; the first k columns of `reflectors` and tau: k have q (ormqr).
struct QrMultiplyPlan {
  const Tensor &reflectors, &tau, &c;
  bool left, transposed;
};

}  // namespace mt
