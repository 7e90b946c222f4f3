// Size classes: multiples of 64 bytes up to 1 KiB, then four a power of two up to 64 KiB, then eight, each with a page to spare, so that a
// round number of elements and the storage's own header fit. A free list a class, under a lock of its own that is held for a few
// instructions. Large blocks are aligned to huge pages: first touch costs 350 ns/KiB with 4K pages and 60 with huge ones.
#include "engine/core/allocator.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <mutex>

#include <unistd.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "engine/core/error.h"
#include "engine/core/fork.h"
#include "engine/core/sanitizer.h"

namespace mt {
namespace {

constexpr size_t alignment = 64, huge_page = size_t{2} << 20;
constexpr int linear_classes = 16, first_large_class = linear_classes + 6 * 4, class_count = first_large_class + 25 * 8;
constexpr size_t small_block = size_t{64} << 10, spare = 4096, most_bytes = size_t{1} << 41;
constexpr int64_t small_cache_limit = int64_t{4} << 20;    // bytes a class of small blocks
constexpr int64_t least_large_cache = int64_t{256} << 20;  // bytes that all large blocks together may always have

struct FreeBlock {
  FreeBlock* next;
};

struct alignas(64) FreeList {
  std::atomic_flag busy;
  FreeBlock* first = nullptr;
  int64_t live = 0, cached = 0;  // blocks

  void lock() {
    while (busy.test_and_set(std::memory_order_acquire)) {
    }
  }
  void unlock() { busy.clear(std::memory_order_release); }
};

using Locked = std::lock_guard<FreeList>;

// The machine's memory. A system that promises more than it has would kill the process when the memory is touched.
size_t physical_bytes() {
  static const size_t bytes = [] {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? static_cast<size_t>(pages) * static_cast<size_t>(page) : SIZE_MAX;
  }();
  return bytes;
}

void* system_allocate(void*, size_t bytes, size_t align) {
  if (bytes > physical_bytes()) return nullptr;
  void* data = nullptr;
  if (posix_memalign(&data, align, bytes) != 0) return nullptr;
#if defined(__linux__)
  // A huge page that the block fills in part would be in memory as a whole.
  if (align >= huge_page) madvise(data, bytes / huge_page * huge_page, MADV_HUGEPAGE);
#endif
  return data;
}

void system_release(void*, void* data, size_t) { std::free(data); }

constexpr AllocatorHooks system_hooks{&system_allocate, &system_release, nullptr};

// The process's memory; constant-initialised, so that it exists before and after any static object of the host.
constinit FreeList lists[class_count];
constinit std::atomic<int64_t> large_cached{0}, large_live{0}, most_large_live{0};  // bytes of large blocks
constinit std::atomic<int64_t> allocations_left{0};
constinit AllocatorHooks host = system_hooks;

// A library that is closed takes nothing with it.
struct CacheOwner {
  ~CacheOwner() { trim_cache(); }
};
const CacheOwner cache_owner;

// How the host is asked for a block of `size` bytes.
size_t alignment_of(size_t size) { return size >= huge_page ? huge_page : alignment; }

bool must_fail() {
  const int64_t left = allocations_left.load(std::memory_order_relaxed);
  if (left == 0) return false;
  if (left > 1) {
    allocations_left.store(left - 1, std::memory_order_relaxed);
    return false;
  }
  return true;
}

}  // namespace

uint8_t size_class(size_t bytes) {
  if (bytes <= 1024) return static_cast<uint8_t>(bytes == 0 ? 0 : (bytes - 1) / 64);
  if (bytes <= small_block) {
    const int top = static_cast<int>(std::bit_width(bytes - 1)) - 1;  // 2^top < bytes <= 2^(top+1), top >= 10
    return static_cast<uint8_t>(linear_classes + (top - 10) * 4 + static_cast<int>((bytes - 1) >> (top - 2) & 3));
  }
  const size_t rest = std::max(bytes - spare, small_block + 1);
  const int top = static_cast<int>(std::bit_width(rest - 1)) - 1;
  return static_cast<uint8_t>(first_large_class + (top - 16) * 8 + static_cast<int>((rest - 1) >> (top - 3) & 7));
}

size_t block_bytes(uint8_t size_class) {
  if (size_class < linear_classes) return (size_t{size_class} + 1) * 64;
  if (size_class < first_large_class) {
    const int step = size_class - linear_classes;
    return (size_t{1} << (10 + step / 4)) / 4 * static_cast<size_t>(5 + step % 4);
  }
  const int step = size_class - first_large_class;
  return (size_t{1} << (16 + step / 8)) / 8 * static_cast<size_t>(9 + step % 8) + spare;
}

namespace {

void count_large(int64_t size) {
  const int64_t live = large_live.fetch_add(size, std::memory_order_relaxed) + size;
  int64_t most = most_large_live.load(std::memory_order_relaxed);
  while (live > most && !most_large_live.compare_exchange_weak(most, live, std::memory_order_relaxed)) {
  }
}

// A cached block of the class, if there is one.
void* take_cached(uint8_t size_class) {
  FreeList& list = lists[size_class];
  const Locked lock(list);
  FreeBlock* const block = list.first;
  if (block == nullptr) return nullptr;
  list.first = block->next;
  --list.cached;
  ++list.live;
  const auto size = static_cast<int64_t>(block_bytes(size_class));
  if (size >= static_cast<int64_t>(small_block)) {
    large_cached.fetch_sub(size, std::memory_order_relaxed);
    count_large(size);
  }
  return block;
}

// A cached block up to four times as large as one of the class, taken when half as much memory waits as is in use: a smaller batch, or
// one as long as its longest sentence, needs none of its own.
void* take_wider(uint8_t size_class, uint8_t& taken) {
  constexpr int widest = 16;
  if (2 * large_cached.load(std::memory_order_relaxed) <= large_live.load(std::memory_order_relaxed)) return nullptr;
  for (int other = size_class + 1; other <= size_class + widest && other < class_count; ++other) {
    taken = static_cast<uint8_t>(other);
    if (void* data = take_cached(taken)) return data;
  }
  return nullptr;
}

// Gives cached blocks of a class back to the host, until `enough` says so.
template <class F> void trim_class(int size_class, F&& enough) noexcept {
  const size_t size = block_bytes(static_cast<uint8_t>(size_class));
  FreeList& list = lists[size_class];
  while (!enough()) {
    FreeBlock* block;
    {
      const Locked lock(list);
      block = list.first;
      if (block == nullptr) return;
      list.first = block->next;
      --list.cached;
      if (size >= small_block) large_cached.fetch_sub(static_cast<int64_t>(size), std::memory_order_relaxed);
    }
    host.release(host.context, block, size);
  }
}

// Gives large cached blocks back until they are at most so many bytes: of the class that is in use last, as one like it may be wanted again
// soon, those of other sizes have waited longer. Results of 40 MB beside a full cache took 90 ms each, for the pages that the system makes
// anew, and take 4.
void trim_large(int64_t bytes, int class_in_use) noexcept {
  const auto enough = [bytes] { return large_cached.load(std::memory_order_relaxed) <= bytes; };
  for (int i = class_count - 1; i >= first_large_class - 1 && !enough(); --i) {
    if (i != class_in_use) trim_class(i, enough);
  }
  trim_class(class_in_use, enough);
}

// What waits is no more than twice what is in use, so that a loop's temporaries come back whatever their size: with 256 MB at most, ops on
// 80 MB spent 41 % of their time in the kernel for new pages, and those on 128 MB 60. As a program comes to use less, so does the cache.
int64_t large_cache_limit() { return std::max(least_large_cache, 2 * large_live.load(std::memory_order_relaxed)); }

// New memory makes no more of it, with what waits, than there was in use at a time.
void make_room_for_new(int64_t size, int size_class) noexcept {
  const int64_t most = most_large_live.load(std::memory_order_relaxed) - large_live.load(std::memory_order_relaxed) - size;
  const int64_t room = std::max(least_large_cache, most);
  if (large_cached.load(std::memory_order_relaxed) > room) trim_large(room, size_class);
}

void count_live(uint8_t size_class, size_t size) {
  if (size >= small_block) count_large(static_cast<int64_t>(size));
  const Locked lock(lists[size_class]);
  ++lists[size_class].live;
}

}  // namespace

Block allocate(size_t bytes) {
  if (must_fail() || bytes > most_bytes) raise(Status::memory, concat("out of memory: ", bytes, " bytes were asked for"));
  const uint8_t size_class = mt::size_class(bytes);
  const size_t size = block_bytes(size_class);
  if (void* data = take_cached(size_class)) return {data, size_class};
  if (size >= small_block) {
    uint8_t taken = 0;
    if (void* data = take_wider(size_class, taken)) return {data, taken};
    make_room_for_new(static_cast<int64_t>(size), size_class);
  }
  const size_t align = alignment_of(size);
  void* data = host.allocate(host.context, size, align);
  if (data == nullptr) {
    trim_cache();
    data = host.allocate(host.context, size, align);
  }
  if (data == nullptr)
    raise(Status::memory, concat("out of memory: ", bytes, " bytes were asked for, ", memory_stats().live_bytes, " are in use"));
  count_live(size_class, size);
  return {data, size_class};
}

void release(Block block) noexcept {
  FreeList& list = lists[block.size_class];
  const auto size = static_cast<int64_t>(block_bytes(block.size_class));
  const bool large = size >= static_cast<int64_t>(small_block);
  set_usable(block.data, static_cast<size_t>(size), static_cast<size_t>(size));
  if (large) large_live.fetch_sub(size, std::memory_order_relaxed);
  const int64_t limit = large ? large_cache_limit() : small_cache_limit;
  if (large && large_cached.load(std::memory_order_relaxed) + size > limit)
    trim_large(size > limit ? limit : limit - size, block.size_class);
  {
    Locked lock(list);
    --list.live;
    const int64_t cached = large ? large_cached.load(std::memory_order_relaxed) : list.cached * size;
    // The sanitizer knows what is freed only from the system's own free.
    if (!address_sanitizer && cached + size <= limit) {
      auto* free_block = static_cast<FreeBlock*>(block.data);
      free_block->next = list.first;
      list.first = free_block;
      ++list.cached;
      if (large) large_cached.fetch_add(size, std::memory_order_relaxed);
      return;
    }
  }
  host.release(host.context, block.data, static_cast<size_t>(size));
}

MemoryStats memory_stats() {
  MemoryStats stats{};
  for (int i = 0; i < class_count; ++i) {
    const auto size = static_cast<int64_t>(block_bytes(static_cast<uint8_t>(i)));
    Locked lock(lists[i]);
    stats.live_blocks += lists[i].live;
    stats.live_bytes += lists[i].live * size;
    stats.cached_bytes += lists[i].cached * size;
  }
  return stats;
}

void trim_cache() {
  for (int i = 0; i < class_count; ++i) trim_class(i, [] { return false; });
}

void set_allocator(const AllocatorHooks* hooks) {
  const int64_t live = memory_stats().live_blocks;
  if (live > 0) fail("set_allocator", "", live, " blocks of the present allocator are in use");
  trim_cache();
  host = hooks != nullptr ? *hooks : system_hooks;
}

void lock_free_lists() {
  for (FreeList& list : lists) list.lock();
}

void unlock_free_lists() {
  for (FreeList& list : lists) list.unlock();
}

void fail_allocations_after(int64_t n) { allocations_left.store(n, std::memory_order_relaxed); }

}  // namespace mt
