// Copies rows of elements to contiguous memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mt {

// The bytes that gather_rows may write behind the last row.
inline constexpr int64_t gather_slack = 32;

// Copies `count` rows of n elements of so many bytes; their elements are `stride` bytes apart, their first ones `next` bytes.
void gather_rows(std::byte* to, const std::byte* from, int64_t stride, int64_t next, int64_t n, int64_t count, int width);

}  // namespace mt
