#include "cuda/emulated/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "cuda/emulated/devices.h"
#include "cuda/runtime/driver.h"
#include "engine/core/sanitizer.h"

namespace mt::cuda::emulated {
namespace {

constexpr size_t alignment = 256;
constexpr size_t gap = 256;  // after each allocation, which the address sanitizer guards
constexpr size_t whole_pages = size_t{1} << 16;

size_t environment_bytes() {
  const char* const text = std::getenv("MOONTORCH_EMULATED_MEMORY");
  const size_t bytes = text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
  return bytes == 0 ? size_t{4} << 30 : (bytes + whole_pages - 1) / whole_pages * whole_pages;
}

struct Arena {
  const size_t bytes = environment_bytes(), all_bytes = bytes * static_cast<size_t>(device_count());
  std::byte* hidden = map(PROT_NONE);
  std::byte* real = map(PROT_READ | PROT_WRITE);
  std::mutex lock;
  std::map<const std::byte*, size_t> pinned;
  struct Device {
    std::map<size_t, size_t> free, used;  // bytes by offset
    size_t in_use = 0;
  } devices[most_devices];

  Arena() {
    for (Device& device : devices) device.free[0] = bytes;
    set_usable(real, 0, all_bytes);
  }

  std::byte* map(int access) const {
    void* const memory = mmap(nullptr, all_bytes, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
      std::perror("emulated device: memory");
      std::abort();
    }
    return static_cast<std::byte*>(memory);
  }
};

Arena& arena() {
  static Arena& one = *new Arena;  // never destroyed: streams' threads may outlive static objects
  return one;
}

}  // namespace

int device_count() {
  static const char* const text = std::getenv("MOONTORCH_EMULATED_DEVICES");
  static const int count = text == nullptr ? 2 : std::clamp(std::atoi(text), 1, most_devices);
  return count;
}

size_t memory_bytes() { return arena().bytes; }

void* allocate_memory(int device, size_t bytes) {
  Arena& all = arena();
  const std::lock_guard guard(all.lock);
  Arena::Device& own = all.devices[device];
  if (bytes > all.bytes) return nullptr;
  const size_t size = (bytes + gap + alignment - 1) / alignment * alignment;
  for (auto run = own.free.begin(); run != own.free.end(); ++run) {
    if (run->second < size) continue;
    const auto [at, room] = *run;
    own.free.erase(run);
    if (room > size) own.free[at + size] = room - size;
    own.used[at] = size;
    own.in_use += size;
    std::byte* const address = all.hidden + static_cast<size_t>(device) * all.bytes + at;
    set_usable(driver::reachable(address), bytes, size);
    std::memset(driver::reachable(address), 0xff, bytes);  // NaN for floats, invalid positions for integers
    return address;
  }
  return nullptr;
}

void release_memory(int device, void* memory) noexcept {
  Arena& all = arena();
  const std::lock_guard guard(all.lock);
  Arena::Device& own = all.devices[device];
  const size_t at = static_cast<size_t>(static_cast<std::byte*>(memory) - all.hidden) - static_cast<size_t>(device) * all.bytes;
  const auto used = own.used.find(at);
  if (used == own.used.end()) {
    std::fprintf(stderr, "emulated device: release of memory that was not allocated\n");
    std::abort();
  }
  const size_t size = used->second;
  own.used.erase(used);
  own.in_use -= size;
  std::byte* const bytes = driver::reachable(static_cast<std::byte*>(memory));
  set_usable(bytes, 0, size);
  if (size >= whole_pages) {
    const auto first = (reinterpret_cast<uintptr_t>(bytes) + 4095) / 4096 * 4096,
               last = (reinterpret_cast<uintptr_t>(bytes) + size) / 4096 * 4096;
    madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
  }
  auto run = own.free.emplace(at, size).first;
  if (const auto next = std::next(run); next != own.free.end() && run->first + run->second == next->first) {
    run->second += next->second;
    own.free.erase(next);
  }
  if (run != own.free.begin()) {
    if (const auto before = std::prev(run); before->first + before->second == run->first) {
      before->second += run->second;
      own.free.erase(run);
    }
  }
}

size_t free_memory(int device) {
  Arena& all = arena();
  const std::lock_guard guard(all.lock);
  return all.bytes - all.devices[device].in_use;
}

void* allocate_pinned(size_t bytes) {
  const size_t size = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, size == 0 ? alignment : size);
  if (memory == nullptr) return nullptr;
  Arena& all = arena();
  const std::lock_guard guard(all.lock);
  all.pinned[static_cast<std::byte*>(memory)] = size;
  return memory;
}

void release_pinned(void* memory) noexcept {
  Arena& all = arena();
  {
    const std::lock_guard guard(all.lock);
    all.pinned.erase(static_cast<std::byte*>(memory));
  }
  std::free(memory);
}

bool is_pinned(const void* address) {
  Arena& all = arena();
  const std::lock_guard guard(all.lock);
  const auto* const at = static_cast<const std::byte*>(address);
  auto run = all.pinned.upper_bound(at);
  return run != all.pinned.begin() && (--run, at < run->first + run->second);
}

int device_of_address(const void* address) {
  const Arena& all = arena();
  const auto at = static_cast<const std::byte*>(address) - all.hidden;
  return at >= 0 && static_cast<size_t>(at) < all.all_bytes ? static_cast<int>(static_cast<size_t>(at) / all.bytes) : -1;
}

}  // namespace mt::cuda::emulated

namespace mt::cuda::driver {
const intptr_t hidden_by = emulated::arena().real - emulated::arena().hidden;
}
