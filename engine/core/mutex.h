// Locks between threads. A build without threads (MT_FREESTANDING) has one caller at a time, and no locks.
#pragma once

#include <mutex>  // std::lock_guard and std::unique_lock, too

namespace mt {

#ifdef MT_FREESTANDING
inline constexpr bool has_threads = false;

class ThreadMutex {
 public:
  void lock() {}
  void unlock() {}
  bool try_lock() { return true; }
};
#else
inline constexpr bool has_threads = true;

using ThreadMutex = std::mutex;
#endif

}  // namespace mt
