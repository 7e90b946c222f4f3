// 3x3 convolutions by Winograd's minimal filtering F(4x4, 3x3), in float32: tiles of 4 x 4 results take 36 products instead of the 144 of
// the definition.
#pragma once

#include <memory>

#include "engine/core/tensor.h"
#include "engine/ops/conv.h"

namespace mt::cpu {

inline constexpr int64_t winograd_tile = 4;  // results of a tile in each dimension

// Tiles of results, partial ones included.
int64_t winograd_tiles(const ConvShape& shape);

// Whether the method supports convolutions of this shape and is faster there, in oneDNN or here. MOONTORCH_DNNL=direct turns both
// off.
bool winograd_applies(const ConvShape& shape, int64_t least_channels = 32);

// Whether the kernels here are the fastest method: they multiply matrices by the vendor's BLAS; with AVX-512, oneDNN's are faster.
bool suits_winograd(const ConvShape& shape);

// Operands as in ConvPass; the forward pass adds a bias, if it isn't null, to y, and the others ignore it.
void winograd_conv(ConvPass pass, const ConvShape& shape, float* x, float* weight, const float* bias, float* y);

// Kernels that were transformed once, for a forward pass.
struct WinogradKernels {
  Tensor space;
};
struct ConvEpilogue {
  const float* added = nullptr;  // of y's sizes, or null
  Rectifier relu;
};

// Whether a forward pass with transformed kernels is the fastest method.
bool suits_packed_winograd(const ConvShape& shape);
std::shared_ptr<const WinogradKernels> winograd_kernels(const ConvShape& shape, const float* weight);
// y = relu(conv(x) + bias + added)
void winograd_conv(const ConvShape& shape, const float* x, const WinogradKernels& kernels, const float* bias, const ConvEpilogue& epilogue,
                   float* y);

}  // namespace mt::cpu
