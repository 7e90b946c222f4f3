// The driver of where: shapes, dtypes and numbers; elements are chosen as bits, so that one loop serves every dtype of a size.
#pragma once

#include "engine/core/iterator.h"
#include "engine/core/registry.h"

namespace mt {

// Runs of elements: pointers of the result, the mask, and what the two choices are. large: long runs are written past the caches.
using ChooseFn = void (*)(std::byte* const* pointers, const Rows& rows, bool large);

struct ChooseLoops {
  ChooseFn byte, half, word, twice;  // elements of 1, 2, 4 and 8 bytes
};

void run_where(Call& call);

}  // namespace mt
