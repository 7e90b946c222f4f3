// Watches of storages: profiles of memory see blocks of elements come and go. Storages that a thread with a watch creates have their
// elements in a separate block, so that the release of any other storage needs no check.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/device_id.h"

namespace mt {

class StorageWatch {
 public:
  // The thread of the watch has allocated memory for a storage; `bytes` were asked for.
  virtual void allocated(const void* data, size_t bytes, DeviceId device) noexcept = 0;
  // Some thread releases memory that a storage of a watch had: not always one of this watch.
  virtual void released(const void* data) noexcept = 0;

 protected:
  ~StorageWatch() = default;
};

// Makes a watch that of the calling thread. It takes effect where the thread also spends from a budget (budget.h).
void start_watch(StorageWatch& watch);
void stop_watch(StorageWatch& watch);  // in the same thread

// Of the calling thread, or null.
StorageWatch* watch_of_thread();

// Tells all watches of a release.
void note_release(const void* data) noexcept;

}  // namespace mt
