// Copies of elements that lie a few places apart: a channel of an image with channels last, a column of a narrow table, a half of pairs. Of
// those that follow each other, too, and of one value for all.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/cpu/walk.h"

namespace mt::cpu {

// The most places that elements may lie apart.
inline constexpr int64_t most_apart = 4;

// Copies runs to pointers[0] from pointers[1]: elements of `width` bytes, 1, 2, 4 or 8, that follow each other in the result and are 0 to
// most_apart places apart in the source. streams: the result is too large to be in the caches when it is read.
void copy_strided(std::byte* const* pointers, const Rows& rows, int width, bool streams);

}  // namespace mt::cpu
