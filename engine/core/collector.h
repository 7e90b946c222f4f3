// Garbage collection when a device is out of memory: a front end sets a collector for its thread.
#pragma once

#include <atomic>

namespace mt {

struct Collector {
  bool (*collect)(void* context) noexcept = nullptr;  // returns whether it ran; freed memory goes to the devices' allocators
  void* context = nullptr;
};

Collector set_collector(Collector collector);  // for this thread; returns the previous one
bool collect_garbage();

// Whether a library has added a device: without one, collectors are not used.
inline constinit std::atomic<bool> devices_were_loaded{false};

}  // namespace mt
