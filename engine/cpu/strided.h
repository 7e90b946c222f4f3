// Copies of elements that lie a few places apart: a channel of an image with channels last, a column of a narrow table, a half of pairs. Of
// those that follow each other, too, and of one value for all.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mt::cpu {

// The most places that elements may lie apart.
inline constexpr int64_t most_apart = 4;

// to[i] = from[step * i] for n elements of `width` bytes, 1, 2, 4 or 8; step: 0 to most_apart. past_caches: the result is too large to be
// in the caches when it is read.
void copy_strided(std::byte* to, const std::byte* from, int64_t step, int64_t n, int width, bool past_caches);

}  // namespace mt::cpu
