// Products of complex matrices: the vendor's BLAS, or plain loops without one.
#pragma once

#include "engine/cpu/blas.h"
#include "engine/ops/matmul.h"

namespace mt::cpu {

// As the plan says; its factors are real.
template <class T> void multiply_complex(const ProductPlan& plan);

// The sum of x[i] y[i], without conjugation, in doubles.
template <class T> Complex<double> complex_dot(VectorView<const T> x, VectorView<const T> y);

}  // namespace mt::cpu
