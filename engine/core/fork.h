// What a fork() of the process finds at rest.
#pragma once

#include <atomic>
#include <mutex>

namespace mt {

/// Every fork() waits for this mutex and holds it meanwhile: the child has one thread, and must not find it locked by another one, nor what
/// it guards half changed. For mutexes that are never destroyed. While one is held, no other such mutex may be waited for.
void hold_over_forks(std::mutex& mutex);

/// A mutex for all of the process, held over forks.
struct ForkSafeMutex : std::mutex {
  ForkSafeMutex() { hold_over_forks(*this); }
};

/// While one lives, in whatever thread, the process does not fork: for calls of libraries that have locks of their own. Within it, nothing
/// may be waited for that another thread has to do.
class KeepsFromForking {
 public:
  KeepsFromForking() {
    if (inside.fetch_add(1), forking.load()) [[unlikely]]
      wait();
  }
  ~KeepsFromForking() { inside.fetch_sub(1, std::memory_order_release); }
  KeepsFromForking(const KeepsFromForking&) = delete;
  KeepsFromForking& operator=(const KeepsFromForking&) = delete;

  // The fork's own: it waits until nobody is inside, and lets nobody in. A child has no thread but one, whatever the count says.
  static void stop_others();
  static void end_fork();
  static void forget_others();

 private:
  static void wait();
  static inline std::atomic<int> inside{0};
  static inline std::atomic<bool> forking{false};
};

// The allocator's locks.
void lock_free_lists();
void unlock_free_lists();

}  // namespace mt
