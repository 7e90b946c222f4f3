// Memory: blocks with 64-byte alignment from free lists by size class, on top of the system's or the host's allocator.
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
  int64_t live_blocks;   // number of these blocks
  int64_t cached_bytes;  // freed blocks in the cache
};

struct AllocatorHooks {
  void* (*allocate)(void* context, size_t bytes, size_t alignment);
  void (*release)(void* context, void* data, size_t bytes);
  void* context;
};

Block allocate(size_t bytes);  // raises an error of Status::memory on failure
void release(Block block) noexcept;
size_t block_bytes(uint8_t size_class);
uint8_t size_class(size_t bytes);  // of the smallest block with at least these bytes

MemoryStats memory_stats();
void trim_cache();                                // returns all cached blocks to the host
void set_allocator(const AllocatorHooks* hooks);  // nullptr: the system's allocator; raises an error while blocks are in use

// For tests: the n-th allocation from now and all later ones fail, until the next call; 0: none fails.
void fail_allocations_after(int64_t n);

}  // namespace mt
