// LAPACK's routines in plain loops: what a machine without LAPACK uses, and what the specs compare with.
#pragma once

#include "engine/cpu/lapack.h"

namespace mt::cpu {

/// Float or double. All that the vendor's LAPACK does, but for the eigenvalues of matrices that are not symmetric (`eigen` is null).
template <class T> const Lapack<T>& plain_lapack();

}  // namespace mt::cpu
