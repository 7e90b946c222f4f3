// From which size results are written by streaming stores.
#pragma once

#include <cstdint>

namespace mt {

// A result of so many bytes, or of operands that have as many, won't be in the caches when it is read: streaming stores spare reading
// what is overwritten.
inline constexpr int64_t least_streamed = int64_t{16} << 20;
inline bool outgrows_caches(int64_t elements, int64_t width) { return elements * width >= least_streamed; }

// Bytes of a run from which that pays: lines at its ends are filled in part, which is slow. 300000 rows of 17 floats, copied into wider
// ones, took 94 ms so, and 3 by plain stores; rows of 256 take 1.4, and 2.1.
inline constexpr int64_t least_streamed_run = 1024;

}  // namespace mt
