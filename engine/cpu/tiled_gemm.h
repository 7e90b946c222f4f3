// The product of float32 matrices without a BLAS.
#pragma once

#include "engine/cpu/blas.h"

namespace mt::cpu {

// Whether the kernel fits the strides of the result.
inline bool suits_tiled_gemm(const MatrixView<float>& c) { return c.col_stride == 1 || c.row_stride == 1; }

// c = beta c + alpha a b, as gemm; the result has rows or columns without gaps, and the sizes are not 0.
void tiled_gemm(float alpha, ConstMatrix<float> a, ConstMatrix<float> b, float beta, MatrixView<float> c);

}  // namespace mt::cpu
