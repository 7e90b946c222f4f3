// A time limit of calls of MPI that can't be given up.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "packages/distributed/board.h"

namespace mt::distributed {

// Shows a call on the board while it lives, at most so many seconds. Then it names the ranks that are not in the call, and ends the
// process.
class Limit {
 public:
  Limit(Board& board, const char* call, const char* line, double seconds);
  ~Limit();
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;

 private:
  void watch(double seconds);

  Board& board_;
  std::string call_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::thread watcher_;
};

}  // namespace mt::distributed
