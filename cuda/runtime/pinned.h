// Pinned host memory.
#pragma once

#include <cstddef>

namespace mt::cuda {

void* allocate_pinned(size_t bytes);
// Waits for pending work, which may use the memory. While graphs exist, the memory is released after the last of them.
void release_pinned(void* memory) noexcept;
bool is_pinned(const void* address);

// Count existing graphs, which may copy from and to pinned memory.
void graph_was_made();
void graph_is_gone() noexcept;

}  // namespace mt::cuda
