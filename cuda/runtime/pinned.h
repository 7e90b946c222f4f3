// Host memory that devices reach directly.
#pragma once

#include <cstddef>

namespace mt::cuda {

void* allocate_pinned(size_t bytes);
// Waits for what is under way, as it may use the memory; while there are graphs, it is kept until they are gone.
void release_pinned(void* memory) noexcept;
bool is_pinned(const void* address);

// Graphs that there are may copy from and to such memory.
void graph_was_made();
void graph_is_gone() noexcept;

}  // namespace mt::cuda
