// Eigenvalues, eigenvectors and Schur form of any complex square matrix in plain loops, in the form of LAPACK's geev and gees.
#pragma once

#include <complex>
#include <cstdint>

namespace mt::cpu {

/// Eigenvalues of a, n by n, column-major, which is overwritten. `right`, if it is not null, receives the eigenvectors as columns of
/// length 1, whose largest component is real. Returns 0, or the number of eigenvalues that were not found.
int plain_complex_eigen(int64_t n, std::complex<double>* a, std::complex<double>* values, std::complex<double>* right);

/// The Schur form of a, n by n, column-major: a becomes the triangular t, z the unitary basis, with a = z t z'. Returns 0, or the number of
/// eigenvalues that were not found.
int plain_complex_schur(int64_t n, std::complex<double>* a, std::complex<double>* z);

}  // namespace mt::cpu
