// Bounded arenas (moontorch/arena.h): free blocks are a list in the order of addresses. The library says the size of a block when it
// releases it, so that blocks have no headers.
#include "moontorch/arena.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <new>

#include "engine/capi/handle.h"
#include "engine/core/fork.h"

namespace mt::capi {
namespace {

constexpr size_t unit = 64;  // sizes and addresses of blocks are multiples

struct FreeBlock {
  size_t bytes;
  FreeBlock* next;

  std::byte* end() { return reinterpret_cast<std::byte*>(this) + bytes; }
};
static_assert(sizeof(FreeBlock) <= unit);

// Held for a few instructions for each free block. fork() waits meanwhile.
class Lock {
 public:
  void lock() {
    while (busy_.test_and_set(std::memory_order_acquire)) {
    }
  }
  void unlock() { busy_.clear(std::memory_order_release); }

 private:
  std::atomic_flag busy_;
};

size_t rounded_up(size_t bytes) { return (std::max<size_t>(bytes, 1) + unit - 1) / unit * unit; }

}  // namespace
}  // namespace mt::capi

struct mt_arena {
  mutable mt::capi::Lock lock;
  mt::capi::FreeBlock* first = nullptr;
  size_t used = 0, peak = 0;
};

namespace mt::capi {
namespace {

// The first free block that is large enough gives its beginning.
void* arena_allocate(void* context, size_t bytes, size_t) {
  auto& arena = *static_cast<mt_arena*>(context);
  const size_t wanted = rounded_up(bytes);
  const KeepsFromForking held;
  const std::lock_guard lock(arena.lock);
  if (wanted < bytes) return nullptr;
  for (FreeBlock** link = &arena.first; *link != nullptr; link = &(*link)->next) {
    FreeBlock* const block = *link;
    if (block->bytes < wanted) continue;
    *link = block->bytes > wanted ? new (reinterpret_cast<std::byte*>(block) + wanted) FreeBlock{block->bytes - wanted, block->next}
                                  : block->next;
    arena.used += wanted;
    arena.peak = std::max(arena.peak, arena.used);
    return block;
  }
  return nullptr;
}

void arena_release(void* context, void* data, size_t bytes) {
  auto& arena = *static_cast<mt_arena*>(context);
  const KeepsFromForking held;
  const std::lock_guard lock(arena.lock);
  FreeBlock *before = nullptr, *after = arena.first;
  while (after != nullptr && static_cast<void*>(after) < data) {
    before = after;
    after = after->next;
  }
  auto* const block = new (data) FreeBlock{rounded_up(bytes), after};
  arena.used -= block->bytes;
  (before != nullptr ? before->next : arena.first) = block;
  const auto join = [](FreeBlock* one) {
    FreeBlock* const next = one->next;
    if (next == nullptr || one->end() != reinterpret_cast<std::byte*>(next)) return;
    *one = {one->bytes + next->bytes, next->next};
  };
  join(block);
  if (before != nullptr) join(before);
}

template <class F> size_t measured(const mt_arena* arena, F&& f) {
  if (arena == nullptr) return 0;
  const KeepsFromForking held;
  const std::lock_guard lock(arena->lock);
  return f();
}

}  // namespace
}  // namespace mt::capi

using mt::capi::guard;
using mt::capi::take;

mt_status mt_arena_create(void* memory, size_t bytes, mt_arena** out) {
  return guard([&] {
    constexpr const char* function = "mt_arena_create";
    constexpr size_t least = 4096;
    take(static_cast<std::byte*>(memory), function, "memory");
    take(out, function, "out");
    if (bytes < least) mt::fail<mt::Status::range>(function, "bytes", bytes, ", expected at least ", least);
    void* place = memory;
    std::align(mt::capi::unit, least / 2, place, bytes);
    auto* const arena = new (place) mt_arena;
    const size_t own = mt::capi::rounded_up(sizeof(mt_arena));
    arena->first = new (static_cast<std::byte*>(place) + own) mt::capi::FreeBlock{(bytes - own) / mt::capi::unit * mt::capi::unit, nullptr};
    *out = arena;
  });
}

mt_status mt_arena_use(mt_arena* arena) {
  return guard([&] {
    const mt::AllocatorHooks hooks{&mt::capi::arena_allocate, &mt::capi::arena_release, &take(arena, "mt_arena_use", "arena")};
    mt::set_allocator(&hooks);
  });
}

size_t mt_arena_used(const mt_arena* arena) {
  return mt::capi::measured(arena, [&] { return arena->used; });
}

size_t mt_arena_peak(const mt_arena* arena) {
  return mt::capi::measured(arena, [&] { return arena->peak; });
}

size_t mt_arena_largest(const mt_arena* arena) {
  return mt::capi::measured(arena, [&] {
    size_t most = 0;
    for (const auto* block = arena->first; block != nullptr; block = block->next) most = std::max(most, block->bytes);
    return most;
  });
}
