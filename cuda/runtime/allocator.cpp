#include "cuda/runtime/allocator.h"

#include "cuda/runtime/context.h"

namespace mt::cuda {

Memory CachingAllocator::allocate(size_t bytes) {
  const std::lock_guard guard(lock_);
  const size_t size = (bytes + 511) / 512 * 512;
  if (const auto kept = free_.lower_bound(size); kept != free_.end() && kept->first <= size + size / 4) {
    const Memory memory{kept->second, kept->first};
    free_.erase(kept);
    return memory;
  }
  count(Count::allocation);
  void* const data = driver::allocate(device_, size);
  return data == nullptr ? Memory() : Memory{data, size};
}

void CachingAllocator::release(Memory memory) noexcept {
  const std::lock_guard guard(lock_);
  free_.emplace(memory.bytes, memory.data);
}

void CachingAllocator::trim() {
  const std::lock_guard guard(lock_);
  for (const auto& [bytes, data] : free_) driver::release(device_, data);
  free_.clear();
}

}  // namespace mt::cuda
