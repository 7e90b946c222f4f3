// Copies of elements that are a few elements apart: a channel of an image with channels last, a column of a narrow table, one half of
// pairs. Also of contiguous elements, and of one value for all.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/cpu/iterate.h"

namespace mt::cpu {

// The largest distance of elements.
inline constexpr int64_t most_apart = 4;

// Copies runs to pointers[0] from pointers[1]: elements of `width` bytes, 1, 2, 4 or 8, which are contiguous in the result and 0 to
// most_apart elements apart in the source. streams: the result is too large to be in the caches when it is read.
void copy_strided(std::byte* const* pointers, const Rows& rows, int width, bool streams);

}  // namespace mt::cpu
