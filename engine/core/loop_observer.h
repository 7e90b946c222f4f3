// Observers of parallel loops: profiles see which threads compute the loops of a thread.
#pragma once

#include <chrono>

namespace mt {

class LoopObserver {
 public:
  using Time = std::chrono::steady_clock::time_point;
  // A thread has run a part of a loop with several threads. Called in that thread.
  virtual void ran(Time start, Time end) noexcept = 0;

 protected:
  ~LoopObserver() = default;
};

// Sets the observer of the calling thread's loops, or removes it.
void set_loop_observer(LoopObserver* observer);

}  // namespace mt
