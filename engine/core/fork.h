// Locks that are free, and library calls that have ended, whenever the process forks.
#pragma once

#include <atomic>

#include "engine/core/mutex.h"

namespace mt {

#ifdef MT_FREESTANDING

using ForkSafeMutex = ThreadMutex;

struct KeepsFromForking {
  KeepsFromForking() {}  // no default, so that objects count as used
};

#else

/// A mutex that every fork() acquires and releases afterwards. Otherwise the child, which has one thread, could find it locked by another
/// thread, and its data half changed. For mutexes that are never destroyed. A holder must not wait for another mutex of this type.
void hold_over_forks(ThreadMutex& mutex);

/// A process-wide mutex that forks acquire.
struct ForkSafeMutex : ThreadMutex {
  ForkSafeMutex() { hold_over_forks(*this); }
};

/// While an object of this class exists, in any thread, fork() waits: for calls of libraries with internal locks. Its scope must not wait
/// for other threads.
class KeepsFromForking {
 public:
  KeepsFromForking() {
    if (inside.fetch_add(1), forking.load()) [[unlikely]]
      wait();
  }
  ~KeepsFromForking() { inside.fetch_sub(1, std::memory_order_release); }
  KeepsFromForking(const KeepsFromForking&) = delete;
  KeepsFromForking& operator=(const KeepsFromForking&) = delete;

  // For fork(): waits until no thread is inside, and blocks new ones. The child has one thread, so it resets the count.
  static void stop_others();
  static void end_fork();
  static void forget_others();

 private:
  static void wait();
  static inline std::atomic<int> inside{0};
  static inline std::atomic<bool> forking{false};
};

#endif

// The locks of the allocator.
void lock_free_lists();
void unlock_free_lists();

}  // namespace mt
