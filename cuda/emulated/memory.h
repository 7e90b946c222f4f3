// The emulated devices' memory. Tensors have addresses that nobody may touch; kernels and transfers reach the same bytes at a distance from
// them. So whatever touches a device's memory from the host ends the process, at once and where it happens.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mt::cuda::emulated {

size_t memory_bytes();                            // of one device
void* allocate_memory(int device, size_t bytes);  // nullptr when there is none left; its bytes are no numbers
void release_memory(int device, void* memory) noexcept;
size_t free_memory(int device);
// Host memory for asynchronous copies.
void* allocate_pinned(size_t bytes);
void release_pinned(void* memory) noexcept;
bool is_pinned(const void* address);
// Whether an address is a tensor's on a device, and on which; -1 where it is the host's.
int device_of_address(const void* address);

}  // namespace mt::cuda::emulated
