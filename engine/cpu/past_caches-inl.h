// Work on more memory than the caches hold: asking for it ahead, and writing past them what was computed into a buffer. Included once for
// each CPU instruction set: no include guard.

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/core/past_caches.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

// As memcpy, from a near cache: whole lines go by streaming stores. hwy::FlushStream() is to follow before a thread says that it is done.
HWY_INLINE void write_past_caches(void* to, const void* from, size_t bytes) {
  constexpr size_t line = 64;
  const hwy::HWY_NAMESPACE::CappedTag<uint8_t, line> d;
  auto* out = static_cast<uint8_t*>(to);
  const auto* in = static_cast<const uint8_t*>(from);
  size_t i = std::min(bytes, (line - reinterpret_cast<uintptr_t>(to) % line) % line);
  std::memcpy(out, in, i);
  for (; i + line <= bytes; i += line) {
    for (size_t k = 0; k < line; k += hwy::HWY_NAMESPACE::Lanes(d))
      hwy::HWY_NAMESPACE::Stream(hwy::HWY_NAMESPACE::LoadU(d, in + i + k), d, out + i + k);
  }
  std::memcpy(out + i, in + i, bytes - i);
}

// Asks for memory that is read soon, where the processor doesn't foresee it: four streams are more than it follows across pages.
HWY_INLINE void prefetch(const void* from, int64_t bytes) {
  for (int64_t i = 0; i < bytes; i += 64) hwy::Prefetch(static_cast<const std::byte*>(from) + i);
}

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
