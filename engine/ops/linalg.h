// The plans of linear systems, inverses and determinants.
//
// A tensor of matrices here is a batch (…, rows, columns) of float32 or float64, or of complex64 or complex128, without gaps, whose
// matrices are column-major: the last two strides are 1 and rows. If a plan says so, they are row-major. Vectors and numbers are
// contiguous. Kernels work in place, as the LAPACK routine named in parentheses does, and report errors in elements by an answer. With
// complex numbers, Hermitian is for symmetric, and the conjugate transpose for the transpose, unless a plan says otherwise.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// The error of the first matrix of the batch that a kernel could not process: LAPACK's info, which counts from 1, or not_finite if the
// matrix has NaN or infinities, for which iterations might not end.
struct MatrixFailure {
  static constexpr int64_t not_finite = -1;

  int64_t info = 0;

  explicit operator bool() const { return info != 0; }
};

// The half of a square matrix that is read, and how. Its conjugate transpose is `transposed`, too.
struct Triangle {
  bool upper = true, transposed = false, unit = false, conjugated = false;
};

// a: n by n, becomes its LU factors; x: n by k, the right-hand sides, becomes the solutions (getrf, getrs).
struct SolvePlan {
  Operand a, x;
  bool row_major;  // whether a is row-major in the call: then the factors are those of the transposes
  Answer<MatrixFailure> failure{};
};

// a: n by n; x: n by k, the right-hand sides, becomes the solutions (trtrs).
struct TriangularSolvePlan {
  Operand a, x;
  Triangle triangle;
  Answer<MatrixFailure> failure{};
};

// a: m by n, becomes its QR or LQ factors; b: max(m, n) by k, m rows of right-hand sides, which become n rows of solutions (gels).
struct LeastSquaresPlan {
  Operand a, b;
  Answer<MatrixFailure> failure{};
};

// a: n by n, becomes its inverse (getrf, getri), without negative zeros.
struct InversePlan {
  Operand a;
  Answer<MatrixFailure> failure{};
};

// a: n by n, column-major or row-major, is overwritten. One float64 per matrix: the determinant; its logarithm, NaN if it is negative; or
// the logarithm of its magnitude, and its sign. Of complex matrices complex128, but for the logarithm of a magnitude.
struct DeterminantPlan {
  enum class Wanted : uint8_t { value, logarithm, sign_and_logarithm };

  Operand a, out, sign;  // sign: empty if not wanted
  Wanted wanted;
};

// a: m by n, is overwritten; with k = min(m, n), p: m by m, l: m by k and u: k by n receive its factors, a = p l u (getrf).
struct LuPlan {
  Operand a, p, l, u;
};

}  // namespace mt
