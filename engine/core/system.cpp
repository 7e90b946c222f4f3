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

namespace mt {

size_t physical_bytes() {
  static const size_t bytes = [] {
    const int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? static_cast<size_t>(std::min<uint64_t>(pages * page, SIZE_MAX)) : SIZE_MAX;
  }();
  return bytes;
}

void* system_allocate(void*, size_t bytes, size_t align) {
  if (bytes > physical_bytes()) return nullptr;
  void* data = nullptr;
  if (posix_memalign(&data, align, bytes) != 0) return nullptr;
#if defined(__linux__)
  // A partly used huge page would still occupy memory as a whole.
  if (align >= huge_page) madvise(data, bytes / huge_page * huge_page, MADV_HUGEPAGE);
#endif
  return data;
}

void system_release(void*, void* data, size_t) { std::free(data); }

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
