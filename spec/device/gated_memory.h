// Memory that is accessible only while a gate is open: otherwise the process crashes at the host's access, which shows the error.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

#include "engine/core/device.h"

namespace mt::test {

class GatedMemory final : public Allocator {
 public:
  GatedMemory();
  ~GatedMemory() override;
  GatedMemory(const GatedMemory&) = delete;
  GatedMemory& operator=(const GatedMemory&) = delete;

  bool missing() const { return arena_ == nullptr; }
  Memory allocate(size_t bytes) override;  // {nullptr, 0} when the arena is full
  void release(Memory memory) noexcept override;
  void trim() override {}

  // The gate is open while one of these lives, for all threads.
  class Open {
   public:
    explicit Open(GatedMemory& memory) : memory_(memory) { memory_.enter(); }
    ~Open() { memory_.leave(); }
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;

   private:
    GatedMemory& memory_;
  };

 private:
  void enter();
  void leave();
  void protect(int access);
  void give_back_pages();

  std::mutex lock_;
  std::byte* arena_;
  size_t used_ = 0, open_ = 0, freed_ = 0;
  std::map<size_t, size_t> free_;  // free runs of bytes by their position in the arena: first fit
};

}  // namespace mt::test
