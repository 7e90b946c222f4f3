// A device's memory: what is freed is kept, and handed out again in the stream's order.
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "cuda/runtime/driver.h"
#include "engine/core/device.h"

namespace mt::cuda {

class CachingAllocator final : public Allocator {
 public:
  explicit CachingAllocator(int device) : device_(device) {}
  Memory allocate(size_t bytes) override;
  void release(Memory memory) noexcept override;
  void trim() override;

 private:
  const int device_;
  std::mutex lock_;
  std::multimap<size_t, void*> free_;
};

}  // namespace mt::cuda
