// Who lets go of garbage when a device has no memory left: a front end's collector, for the thread that it runs on.
#pragma once

#include <atomic>

namespace mt {

struct Collector {
  bool (*collect)(void* context) noexcept = nullptr;  // whether it ran; what it frees, the devices' allocators get by their release()
  void* context = nullptr;
};

Collector set_collector(Collector collector);  // of this thread; gives the one before
bool collect_garbage();

// Whether a library has brought a device: where there is none, nobody asks.
inline constinit std::atomic<bool> devices_were_loaded{false};

}  // namespace mt
