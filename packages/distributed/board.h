// What each rank does at present, in a file that the ranks of a machine and bin/th-launch map.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "packages/distributed/reporter.h"

namespace mt::distributed {

// A rank's entry; lua/distributed/launch/board.lua declares the same. Readers may see a half written text.
struct Entry {
  enum State : int32_t { absent, computing, in_call, finished };

  int32_t pid, state;
  uint64_t calls;     // begun so far
  double since;       // seconds of CLOCK_MONOTONIC at which the state began
  char call[120];     // the present or last call
  char line[128];     // of the program
  char waits[112];    // the ranks that the call waits for
  char pending[256];  // an asynchronous call that goes on, and what it waits for
  char problem[320];  // why the last call failed; empty if it has not
  char machine[64];   // the name of another machine than the launcher's; empty for its own
};
static_assert(sizeof(Entry) == 1024);

class Board {
 public:
  // Maps the file, which the launcher has created with an entry per rank. Without a path the entry is private. On another machine, which
  // lacks the file, it is sent to the launcher.
  Board(const char* path, int rank, int size);
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  int rank() const { return rank_; }
  void enter(const char* call, const char* line);
  void leave(const std::string& problem);  // of the call; empty if it has succeeded
  void waits(const std::string& ranks);
  void pending(const std::string& call);
  void finish();

  // Says what another rank does, and what that rank waits for: "which is in barrier at a.lua:3 and waits for rank 2, which has finished".
  // Empty if it is unknown, as of a rank on another machine that has sent no such call yet.
  std::string about(int rank) const;

  // Whether a rank has ended its part of the program for so many seconds.
  bool has_finished(int rank, double seconds) const;

  // Whether a rank's process is stopped or has ended.
  bool is_lost(int rank) const;

  // The ranks that are in other calls than this one, or stopped.
  std::vector<int> elsewhere() const;

 private:
  void follow(int rank, std::vector<int>& path, std::string& text) const;

  Entry own_{}, *entries_ = nullptr, *entry_ = &own_;
  int rank_, size_;
  std::unique_ptr<Reporter> reporter_;
};

// Seconds of a clock that never steps.
double now();

}  // namespace mt::distributed
