#include "packages/distributed/limit.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "packages/distributed/mpi_library.h"

namespace mt::distributed {

Limit::Limit(Board& board, const char* call, const char* line, double seconds) : board_(board), call_(std::string(call) + " at " + line) {
  board_.enter(call, line);
  watcher_ = std::thread([this, seconds] { watch(seconds); });
}

Limit::~Limit() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_one();
  watcher_.join();
  board_.leave("");
}

void Limit::watch(double seconds) {
  constexpr double longest = 1e8;  // which the clock can add
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);  // the program's threads handle signals
  ignore_leaks_of_this_thread();
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, std::chrono::duration<double>(std::min(seconds, longest)), [this] { return ended_; })) return;
  char limit[32];
  std::snprintf(limit, sizeof limit, "%g", seconds);
  std::string text = "waited " + std::string(limit) + " s";
  size_t found = 0;
  for (const int rank : board_.elsewhere()) {
    text += (++found == 1 ? " for rank " : ", rank ") + std::to_string(rank) + ", " + board_.about(rank);
    if (found == 4) break;
  }
  board_.leave(text);
  std::fprintf(stderr, "torch.distributed: rank %d in %s %s\n", board_.rank(), call_.c_str(), text.c_str());
  _exit(1);  // MPI's call holds the program's thread
}

}  // namespace mt::distributed
