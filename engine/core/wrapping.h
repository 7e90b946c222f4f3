// Products of sizes that may overflow 64 bits, next to a size of 0.
#pragma once

#include <cstdint>

namespace mt {

/// a * b modulo 2^64: defined, though meaningless on overflow.
inline int64_t wrapping_product(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b)); }

}  // namespace mt
