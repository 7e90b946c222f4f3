// Annotations for the address sanitizer about the allocator's size classes and free lists; empty in other builds.
#pragma once

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MT_ADDRESS_SANITIZER 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define MT_ADDRESS_SANITIZER 1
#endif

#if defined(MT_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#endif

namespace mt {

#if defined(MT_ADDRESS_SANITIZER)
inline constexpr bool address_sanitizer = true;

// Allows access to the first `used` of `size` bytes at `data`.
inline void set_usable(void* data, size_t used, size_t size) {
  __asan_unpoison_memory_region(data, used);
  __asan_poison_memory_region(static_cast<std::byte*>(data) + used, size - used);
}
#else
inline constexpr bool address_sanitizer = false;

inline void set_usable(void*, size_t, size_t) {}
#endif

}  // namespace mt
