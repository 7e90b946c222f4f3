// Eigenvalues and eigenvectors of any square matrix in plain loops, in the form of LAPACK's geev.
#pragma once

#include <cstdint>

namespace mt::cpu {

/// Eigenvalues of a, n by n, column-major, which is overwritten. A complex pair comes as two neighbours, the one with the positive
/// imaginary part first. `right`, if it is not null, receives the eigenvectors as columns of length 1: for a pair two columns, the real and
/// the imaginary part of the first one's vector, whose largest component is real. Returns 0, or the number of eigenvalues that were not
/// found.
int plain_eigen(int64_t n, double* a, double* real, double* imaginary, double* right);

}  // namespace mt::cpu
