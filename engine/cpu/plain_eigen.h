// Eigenvalues, eigenvectors and Schur form of any square matrix in plain loops, in the form of LAPACK's geev and gees.
#pragma once

#include <cstdint>

namespace mt::cpu {

/// Eigenvalues of a, n by n, column-major, which is overwritten. A complex pair comes as two neighbours, the one with the positive
/// imaginary part first. `right`, if it is not null, receives the eigenvectors as columns of length 1: for a pair two columns, the real and
/// the imaginary part of the first one's vector, whose largest component is real. Returns 0, or the number of eigenvalues that were not
/// found.
int plain_eigen(int64_t n, double* a, double* real, double* imaginary, double* right);

/// The real Schur form of a, n by n, column-major: a becomes the quasi-triangular t, z the basis, with a = z t z'. The two diagonal
/// elements of a block for a complex pair are equal, and the elements beside them have different signs. Returns 0, or the number of
/// eigenvalues that were not found (gees).
int plain_schur(int64_t n, double* a, double* z);

}  // namespace mt::cpu
