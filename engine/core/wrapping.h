// Products of sizes beside a size of 0, which may be more than 64 bits hold.
#pragma once

#include <cstdint>

namespace mt {

/// a * b modulo 2^64: no overflow, though without meaning where one would have been.
inline int64_t wrapping_product(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b)); }

}  // namespace mt
