// The decompositions of ops/linalg.h in plain loops: what a machine without LAPACK uses, and what the specs compare with.
#pragma once

#include "engine/ops/linalg.h"

namespace mt::cpu {

/// Float or double. All that the vendor's LAPACK does, but for the eigenvalues of matrices that are not symmetric (`eigen` is null).
template <class T> const LinalgKernels<T>& plain_lapack();

}  // namespace mt::cpu
