// Random bits and values by counter, several at a time.
#pragma once

#include <cstdint>

#include "engine/core/philox.h"
#include "engine/ops/drawn.h"

namespace mt::cpu {

// The words of `blocks` blocks of a call, starting with block `first`, four per block.
void philox_words(const Draws& draws, uint64_t first, int64_t blocks, uint32_t* out);

// n values of a distribution, whose bits start with block `first`: four floats or two doubles per block.
void drawn_values(const Draws& draws, uint64_t first, const drawn::Distribution& distribution, int64_t n, float* out);
void drawn_values(const Draws& draws, uint64_t first, const drawn::Distribution& distribution, int64_t n, double* out);

}  // namespace mt::cpu
