// Sends the board's entry of a rank on another machine than the launcher's to the launcher.
#pragma once

#include <mutex>

namespace mt::distributed {

struct Entry;

// Writes a line to standard error, which mpirun carries to the launcher, when the entry has changed, at most twice a second. The launcher
// (lua/distributed/launch/board.lua) shows none of these lines. Lives until the process ends.
class Reporter {
 public:
  Reporter(const Entry& entry);

  // Sends the entry at once.
  void send();

 private:
  void work();

  const Entry& entry_;
  std::mutex mutex_;
};

}  // namespace mt::distributed
