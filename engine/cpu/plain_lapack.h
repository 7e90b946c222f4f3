// LAPACK's routines in plain loops: for machines without LAPACK; specs compare with them.
#pragma once

#include "engine/cpu/lapack.h"

namespace mt::cpu {

/// Real or complex floats or doubles. All routines of the vendor's LAPACK.
template <class T> const Lapack<T>& plain_lapack();

}  // namespace mt::cpu
