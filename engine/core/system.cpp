#include "engine/core/system.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>

#include <unistd.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "engine/core/sanitizer.h"

namespace mt {

size_t physical_bytes() {
  static const size_t bytes = [] {
    const int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? static_cast<size_t>(std::min<uint64_t>(pages * page, SIZE_MAX)) : SIZE_MAX;
  }();
  return bytes;
}

namespace {

#if defined(__linux__)
// The address sanitizer doesn't see memory that is mapped.
constexpr bool maps_large_blocks = !address_sanitizer;

size_t whole_pages(size_t bytes) {
  static const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

void* map(size_t bytes, size_t align) {
  const size_t length = whole_pages(bytes) + align;
  void* const mapped = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* const first = static_cast<std::byte*>(mapped);
  const size_t before = (align - reinterpret_cast<uintptr_t>(first) % align) % align;
  if (before > 0) munmap(first, before);
  munmap(first + before + whole_pages(bytes), align - before);
  // A partly used huge page would still occupy memory as a whole.
  madvise(first + before, bytes / huge_page * huge_page, MADV_HUGEPAGE);
  return first + before;
}

void unmap(void* data, size_t bytes) { munmap(data, whole_pages(bytes)); }
#else
constexpr bool maps_large_blocks = false;

void* map(size_t, size_t) { return nullptr; }
void unmap(void*, size_t) {}
#endif

}  // namespace

bool system_gives_zeros(size_t align) { return maps_large_blocks && align >= huge_page; }

void* system_allocate(void*, size_t bytes, size_t align) {
  if (bytes > physical_bytes()) return nullptr;
  if (system_gives_zeros(align)) return map(bytes, align);
  void* data = nullptr;
  return posix_memalign(&data, align, bytes) == 0 ? data : nullptr;
}

void system_release(void*, void* data, size_t bytes) {
  if (maps_large_blocks && bytes >= huge_page) return unmap(data, bytes);
  std::free(data);
}

void system_log(LogLevel level, const char* text) { std::fprintf(stderr, "%s%s\n", level == LogLevel::warning ? "Warning: " : "", text); }

double system_clock(ClockKind kind) {
  timespec now{};
  clock_gettime(kind == ClockKind::wall ? CLOCK_REALTIME : CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

uint64_t system_seed() {
  std::random_device device;
  return uint64_t{device()} << 32 | device();
}

}  // namespace mt
