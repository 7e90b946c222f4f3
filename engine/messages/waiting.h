// Waiting until something is ready, or until the caller gives up.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace mt::messages {

// Decides when a caller gives up waiting.
class Patience {
 public:
  virtual bool is_over() const = 0;

 protected:
  ~Patience() = default;
};

// Returns true when ready() is; false when patience is over. Nothing notifies of the latter, so it is polled a few times a second.
template <class Ready>
bool wait_for(std::unique_lock<std::mutex>& lock, std::condition_variable& changed, const Patience& patience, Ready&& ready) {
  constexpr auto interval = std::chrono::milliseconds(50);
  while (!ready()) {
    if (patience.is_over()) return false;
    changed.wait_for(lock, interval);
  }
  return true;
}

}  // namespace mt::messages
