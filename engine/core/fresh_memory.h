// Memory that nothing has written to since the system gave it, so that it holds zeros and occupies no pages yet.
#pragma once

#include <cstddef>

namespace mt {

// Whether `bytes` at `data`, which this thread has just allocated, are such memory. Only large blocks are.
bool holds_zeros(const void* data, size_t bytes) noexcept;

}  // namespace mt
