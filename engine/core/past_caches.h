// From which size results are written past the caches.
#pragma once

#include <cstdint>

namespace mt {

// A result of so many bytes, or of operands that have as many, won't be in the caches when it is read: writing it past them spares reading
// what is overwritten.
inline constexpr int64_t least_past_caches = int64_t{16} << 20;

}  // namespace mt
