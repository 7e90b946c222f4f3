// Size classes: multiples of 64 bytes up to 1 KiB, then four per power of two up to 64 KiB, then eight, with one extra page, so that a
// round number of elements and the header of the storage fit. Each class has a free list with its own lock, held for a few instructions.
// Large blocks are aligned to huge pages: first touch costs 350 ns/KiB with 4K pages and 60 ns/KiB with huge ones.
#include "engine/core/allocator.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <functional>
#include <mutex>

#include "engine/core/error.h"
#include "engine/core/fork.h"
#include "engine/core/fresh_memory.h"
#include "engine/core/sanitizer.h"
#include "engine/core/system.h"

namespace mt {
namespace {

constexpr size_t alignment = 64;
constexpr int linear_classes = 16, first_large_class = linear_classes + 6 * 4, class_count = first_large_class + 25 * 8;
constexpr size_t small_block = size_t{64} << 10, spare = 4096;
constexpr uint64_t most_bytes = std::min<uint64_t>(uint64_t{1} << 41, SIZE_MAX / 2);
constexpr int64_t small_cache_limit = int64_t{4} << 20;    // bytes per class of small blocks
constexpr int64_t least_large_cache = int64_t{256} << 20;  // bytes that the cache of large blocks may always hold

struct FreeBlock {
  FreeBlock* next;
};

struct alignas(64) FreeList {
  std::atomic_flag busy;
  FreeBlock* first = nullptr;
  int64_t live = 0, cached = 0;  // numbers of blocks

  void lock() {
    while (busy.test_and_set(std::memory_order_acquire)) {
    }
  }
  void unlock() { busy.clear(std::memory_order_release); }
};

using Locked = std::lock_guard<FreeList>;

constexpr AllocatorHooks system_hooks{&system_allocate, &system_release, nullptr};

// State of the process, constant-initialised: it exists before and after all static objects of the host.
constinit FreeList lists[class_count];
constinit std::atomic<int64_t> large_cached{0}, large_live{0}, most_large_live{0};  // bytes in large blocks
constinit std::atomic<int64_t> allocations_left{0};
constinit AllocatorHooks host = system_hooks;

// The thread's last block of more than `small_block` bytes, if the system gave it and it holds zeros.
struct Fresh {
  const std::byte* data = nullptr;
  size_t size = 0;
};
constinit thread_local Fresh fresh;

// Runs when the library is unloaded: frees the cache.
struct CacheOwner {
  ~CacheOwner() { trim_cache(); }
};
const CacheOwner cache_owner;

// The request to the host for a block of `size` bytes.
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

// Takes a cached block of the class, if there is one.
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

// Takes a cached block up to four times as large as the class if the cache holds half as much memory as is in use: a smaller batch, or one
// with a shorter longest sentence, then needs no new memory.
void* take_wider(uint8_t size_class, uint8_t& taken) {
  constexpr int widest = 16;
  if (2 * large_cached.load(std::memory_order_relaxed) <= large_live.load(std::memory_order_relaxed)) return nullptr;
  for (int other = size_class + 1; other <= size_class + widest && other < class_count; ++other) {
    taken = static_cast<uint8_t>(other);
    if (void* data = take_cached(taken)) return data;
  }
  return nullptr;
}

// Returns cached blocks of a class to the host until `enough` returns true.
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

// Returns large cached blocks to the host until the cache has at most `bytes`. Blocks of the class in use go last, because the next
// request is probably alike and others were idle for longer. With a full cache, results of 40 MB took 90 ms each for new pages, and take 4
// ms.
void trim_large(int64_t bytes, int class_in_use) noexcept {
  const auto enough = [bytes] { return large_cached.load(std::memory_order_relaxed) <= bytes; };
  for (int i = class_count - 1; i >= first_large_class - 1 && !enough(); --i) {
    if (i != class_in_use) trim_class(i, enough);
  }
  trim_class(class_in_use, enough);
}

// The cache holds at most twice the bytes in use, so that temporaries of a loop are reused at any size. With a fixed limit of 256 MB, ops
// on 80 MB spent 41 % of their time in the kernel for new pages, and ops on 128 MB 60 %. When a program uses less, the cache shrinks, too.
int64_t large_cache_limit() { return std::max(least_large_cache, 2 * large_live.load(std::memory_order_relaxed)); }

// With a new allocation, used and cached memory together must not exceed the former maximum in use.
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

bool holds_zeros(const void* data, size_t bytes) noexcept {
  if (bytes < huge_page) return false;
  const std::less_equal<> precedes;
  const auto* const first = static_cast<const std::byte*>(data);
  return fresh.size > 0 && precedes(fresh.data, first) && precedes(first + bytes, fresh.data + fresh.size);
}

Block allocate(size_t bytes) {
  if (must_fail() || bytes > most_bytes) raise(Status::memory, concat("out of memory: ", bytes, " bytes were asked for"));
  const uint8_t size_class = mt::size_class(bytes);
  const size_t size = block_bytes(size_class), align = alignment_of(size);
  if (size >= small_block) fresh = {};
  if (void* data = take_cached(size_class)) return {data, size_class};
  if (size >= small_block) {
    uint8_t taken = 0;
    if (void* data = take_wider(size_class, taken)) return {data, taken};
    make_room_for_new(static_cast<int64_t>(size), size_class);
  }
  void* data = host.allocate(host.context, size, align);
  if (data == nullptr) {
    trim_cache();
    data = host.allocate(host.context, size, align);
  }
  if (data == nullptr)
    raise(Status::memory, concat("out of memory: ", bytes, " bytes were asked for, ", memory_stats().live_bytes, " are in use"));
  if (host.allocate == &system_allocate && system_gives_zeros(align)) fresh = {static_cast<const std::byte*>(data), size};
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
    // The sanitizer sees only blocks that go back to the system as freed.
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
