#include "spec/device/gated_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>

namespace mt::test {
namespace {

// Of addresses; memory is taken as it is touched.
constexpr size_t arena_bytes = sizeof(void*) == 4 ? size_t{1} << 28 : size_t{16} << 30;
constexpr size_t page = 4096;
constexpr size_t most_freed = size_t{1} << 18;  // until pages are given back

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
  auto place = std::find_if(free_.begin(), free_.end(), [&](const auto& run) { return run.second >= size; });
  size_t at = used_;
  if (place != free_.end()) {
    at = place->first;
    const size_t rest = place->second - size;
    free_.erase(place);
    if (rest > 0) free_[at + size] = rest;
  } else if (arena_ != nullptr && size <= arena_bytes - used_) {
    used_ += size;
    if (open_ > 0) protect(PROT_READ | PROT_WRITE);
  } else {
    return {};
  }
  return {arena_ + at, size};
}

void GatedMemory::release(Memory memory) noexcept {
  const std::lock_guard guard(lock_);
  auto run = free_.emplace(static_cast<size_t>(static_cast<std::byte*>(memory.data) - arena_), memory.bytes).first;
  if (const auto next = std::next(run); next != free_.end() && run->first + run->second == next->first) {
    run->second += next->second;
    free_.erase(next);
  }
  if (run != free_.begin()) {
    if (const auto before = std::prev(run); before->first + before->second == run->first) {
      before->second += run->second;
      free_.erase(run);
    }
  }
  freed_ += memory.bytes;
  if (freed_ > most_freed) give_back_pages();
}

// The gate's costs grow with the pages that are in memory.
void GatedMemory::give_back_pages() {
  freed_ = 0;
  if (const auto last = std::prev(free_.end()); last->first + last->second == used_) {
    madvise(arena_ + (last->first + page - 1) / page * page, used_ - last->first, MADV_DONTNEED);
    used_ = last->first;
    free_.erase(last);
  }
  for (const auto& [at, size] : free_) {
    const size_t begin = (at + page - 1) / page * page, end = (at + size) / page * page;
    if (begin < end) madvise(arena_ + begin, end - begin, MADV_DONTNEED);
  }
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
