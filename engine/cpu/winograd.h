// 3x3 convolutions by Winograd's minimal filtering F(4x4, 3x3), in float32: tiles of 4 x 4 results take 36 products instead of the 144 of
// the definition.
#pragma once

#include "engine/ops/conv.h"

namespace mt::cpu {

inline constexpr int64_t winograd_tile = 4;  // results of a tile in each dimension

// Tiles of results, partial ones included.
int64_t winograd_tiles(const ConvShape& shape);

// Whether the method supports convolutions of this shape and is faster there, in oneDNN or here. MOONTORCH_DNNL=direct turns both
// off.
bool winograd_applies(const ConvShape& shape);

// Whether the kernels here are the fastest method: they multiply matrices by the vendor's BLAS; with AVX-512, oneDNN's are faster.
bool suits_winograd(const ConvShape& shape);

// Operands as ConvPass says; the forward pass adds a bias, if it isn't null, to y, and the others ignore it.
void winograd_conv(ConvPass pass, const ConvShape& shape, float* x, float* weight, const float* bias, float* y);

}  // namespace mt::cpu
