// oneDNN, opened when a convolution or a batch of products first requests it.
#pragma once

#include <string>

#include "engine/cpu/blas.h"
#include "engine/cpu/conv.h"

namespace mt::cpu {

// Whether oneDNN is built in, found, and not turned off by MOONTORCH_DNNL=0 in the environment at the first call.
bool has_dnnl();

// The version of the oneDNN that was found, such as "3.7.2"; empty if has_dnnl is false.
std::string dnnl_version();

// As conv for float32; returns false, with nothing written, if oneDNN is absent or has no kernel for the shape.
bool dnnl_conv(ConvPass pass, const ConvShape& shape, ImageLayout layout, float* x, float* weight, float* bias, float* y);

// c[i] = beta c[i] + alpha a[i] b[i], as batched_gemm; returns false, with nothing written, if oneDNN is absent or does not support the
// layout of the matrices.
bool dnnl_batched_gemm(int64_t batch, float alpha, MatrixView<const float> a, int64_t a_step, MatrixView<const float> b, int64_t b_step,
                       float beta, MatrixView<float> c, int64_t c_step);

}  // namespace mt::cpu
