// 3x3 convolutions by Winograd's minimal filtering F(4x4, 3x3), in float32: tiles of 4 x 4 results from 36 products where the definition
// has 144.
#pragma once

#include "engine/ops/conv.h"

namespace mt::cpu {

inline constexpr int64_t winograd_tile = 4;  // results of a tile in each dimension

// Tiles of results, partial ones included.
int64_t winograd_tiles(const ConvShape& shape);

// Whether the method computes convolutions of this shape, and pays there: one of oneDNN, or the one here. MOONTORCH_DNNL=direct turns both
// off.
bool winograd_applies(const ConvShape& shape);

// Whether the kernels here are the fastest method: they multiply matrices by the vendor's BLAS; with AVX-512, oneDNN's are faster.
bool suits_winograd(const ConvShape& shape);

// Operands as ConvPass says; a bias, where it isn't null, is added to y by the forward pass and ignored by the others.
void winograd_conv(ConvPass pass, const ConvShape& shape, float* x, float* weight, const float* bias, float* y);

}  // namespace mt::cpu
