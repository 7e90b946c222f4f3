// Whose turn it is to speak: xeus is for one thread, and output is forwarded by another.
#pragma once

#include <mutex>

namespace kernel {

/// Held by the thread that publishes, and by the main thread while xeus works on a request: it sets which request messages belong to.
std::mutex& turn();

/// Gives the turn to others while Lua runs.
class Aside {
 public:
  Aside() { turn().unlock(); }
  ~Aside() { turn().lock(); }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
};

}  // namespace kernel
