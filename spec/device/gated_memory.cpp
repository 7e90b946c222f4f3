#include "spec/device/gated_memory.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>

namespace mt::test {
namespace {

constexpr size_t arena_bytes = size_t{16} << 30;  // of addresses; memory is taken as it is touched
constexpr size_t page = 4096;

}  // namespace

GatedMemory::GatedMemory() {
  void* reserved = mmap(nullptr, arena_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  arena_ = reserved == MAP_FAILED ? nullptr : static_cast<std::byte*>(reserved);
}

GatedMemory::~GatedMemory() {
  if (arena_ != nullptr) munmap(arena_, arena_bytes);
}

Memory GatedMemory::allocate(size_t bytes) {
  const std::lock_guard guard(lock_);
  const size_t size = (bytes + 63) / 64 * 64 + 64;
  auto& free = free_[size];
  std::byte* data = nullptr;
  if (!free.empty()) {
    data = free.back();
    free.pop_back();
  } else if (arena_ != nullptr && size <= arena_bytes - used_) {
    data = arena_ + used_;
    used_ += size;
    if (open_ > 0) protect(PROT_READ | PROT_WRITE);
  } else {
    return {};
  }
  live_ += static_cast<int64_t>(size);
  ++blocks_;
  return {data, size};
}

void GatedMemory::release(Memory memory) noexcept {
  const std::lock_guard guard(lock_);
  live_ -= static_cast<int64_t>(memory.bytes);
  free_[memory.bytes].push_back(static_cast<std::byte*>(memory.data));
  if (--blocks_ == 0 && open_ == 0) start_anew();
}

// The gate's costs grow with the pages that were ever touched.
void GatedMemory::start_anew() {
  madvise(arena_, used_, MADV_DONTNEED);
  free_.clear();
  used_ = 0;
}

void GatedMemory::enter() {
  const std::lock_guard guard(lock_);
  if (open_++ == 0) protect(PROT_READ | PROT_WRITE);
}

void GatedMemory::leave() {
  const std::lock_guard guard(lock_);
  if (--open_ == 0) protect(PROT_NONE);
}

void GatedMemory::protect(int access) {
  if (used_ == 0) return;
  if (mprotect(arena_, (used_ + page - 1) / page * page, access) == 0) return;
  std::perror("mprotect");  // the gate is all that this device is for
  std::abort();
}

}  // namespace mt::test
