// A lock for publishing: xeus supports one thread, and another thread forwards output.
#pragma once

#include <mutex>

namespace kernel {

/// Held by the thread that publishes, and by the main thread while xeus handles a request, which sets the parent of messages.
std::mutex& turn();

/// Unlocks turn() for its lifetime, while Lua runs.
class Aside {
 public:
  Aside() { turn().unlock(); }
  ~Aside() { turn().lock(); }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
};

}  // namespace kernel
