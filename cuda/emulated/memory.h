// The memory of emulated devices. The addresses of tensors are not accessible; kernels and transfers access the same bytes at a constant
// offset from them. So code of the host that accesses device memory ends the process, at the place of the error.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mt::cuda::emulated {

size_t memory_bytes();                            // of one device
void* allocate_memory(int device, size_t bytes);  // nullptr if memory is exhausted; filled with NaNs
void release_memory(int device, void* memory) noexcept;
size_t free_memory(int device);
// Host memory for asynchronous copies.
void* allocate_pinned(size_t bytes);
void release_pinned(void* memory) noexcept;
bool is_pinned(const void* address);
// The device of a tensor's address; -1 for addresses of the host.
int device_of_address(const void* address);

}  // namespace mt::cuda::emulated
