// Memory: blocks of 64-byte alignment from per-size free lists, over the host's own allocator if it gives one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mt {

struct Block {
  void* data = nullptr;
  uint8_t size_class = 0;
};

struct MemoryStats {
  int64_t live_bytes;    // in use by storages, rounded up to size classes
  int64_t live_blocks;   //
  int64_t cached_bytes;  // given back, kept for the next allocation
};

struct AllocatorHooks {
  void* (*allocate)(void* context, size_t bytes, size_t alignment);
  void (*release)(void* context, void* data, size_t bytes);
  void* context;
};

Block allocate(size_t bytes);  // raises an error of Status::memory
void release(Block block) noexcept;
size_t block_bytes(uint8_t size_class);
uint8_t size_class(size_t bytes);  // of the smallest block of at least so many bytes

MemoryStats memory_stats();
void trim_cache();                                // gives every cached block back to the host
void set_allocator(const AllocatorHooks* hooks);  // nullptr: the system's; raises an error while blocks are in use

// For tests: the n-th allocation from now fails, and all after it until the next call; 0 switches this off.
void fail_allocations_after(int64_t n);

}  // namespace mt
