// LAPACK's routines in plain loops: for machines without LAPACK; specs compare with them.
#pragma once

#include "engine/cpu/lapack.h"

namespace mt::cpu {

/// Float or double: all routines of the vendor's LAPACK. Complex numbers are an error.
template <class T> const Lapack<T>& plain_lapack();

}  // namespace mt::cpu
