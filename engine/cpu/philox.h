// Random bits and values by counter, several at a time.
#pragma once

#include <cstdint>

#include "engine/core/philox.h"
#include "engine/ops/drawn.h"

namespace mt::cpu {

// The words of `blocks` blocks of a call, from block `first` on, four to a block.
void philox_words(const Draws& draws, uint64_t first, int64_t blocks, uint32_t* out);

// n values of a distribution, whose bits start with block `first`: four floats or two doubles to a block.
void drawn_values(const Draws& draws, uint64_t first, const drawn::Distribution& distribution, int64_t n, float* out);
void drawn_values(const Draws& draws, uint64_t first, const drawn::Distribution& distribution, int64_t n, double* out);

}  // namespace mt::cpu
