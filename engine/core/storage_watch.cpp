#include "engine/core/storage_watch.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "engine/core/fork.h"

namespace mt {
namespace {

thread_local StorageWatch* own = nullptr;
std::atomic<int> count{0};

struct Watches {
  ForkSafeMutex mutex;
  std::vector<StorageWatch*> list;
};

Watches& watches() {
  static auto* const made = new Watches;  // storages may be released after all static objects
  return *made;
}

}  // namespace

void start_watch(StorageWatch& watch) {
  const std::lock_guard lock(watches().mutex);
  watches().list.push_back(&watch);
  count.fetch_add(1);
  own = &watch;
}

void stop_watch(StorageWatch& watch) {
  if (own == &watch) own = nullptr;
  const std::lock_guard lock(watches().mutex);
  count.fetch_sub(static_cast<int>(std::erase(watches().list, &watch)));
}

StorageWatch* watch_of_thread() { return own; }

void note_release(const void* data) noexcept {
  if (count.load(std::memory_order_acquire) == 0) return;
  const std::lock_guard lock(watches().mutex);
  for (StorageWatch* const watch : watches().list) watch->released(data);
}

}  // namespace mt
