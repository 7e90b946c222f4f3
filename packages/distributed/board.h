// What each rank does at present, in a file that the ranks of a machine and bin/th-launch map.
#pragma once

#include <cstdint>
#include <string>

namespace mt::distributed {

// A rank's entry; lua/distributed/launch/board.lua declares the same. Readers may see a half written text.
struct Entry {
  enum State : int32_t { absent, computing, in_call, finished };

  int32_t pid, state;
  uint64_t calls;   // begun so far
  double since;     // seconds of CLOCK_MONOTONIC at which the state began
  char call[120];   // the present or last call
  char line[128];   // of the program
  char waits[112];  // the ranks that the call waits for
  char unused[128];
};
static_assert(sizeof(Entry) == 512);

class Board {
 public:
  // Maps the file, which the launcher has created with an entry per rank. Without a file (a null path, or another machine's) the entry is
  // private.
  Board(const char* path, int rank, int size);
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  void enter(const char* call, const char* line);
  void leave();
  void waits(const std::string& ranks);
  void finish();

  // Says what another rank does: "it is in barrier (a.lua:3)". Empty if that is unknown.
  std::string about(int rank) const;

 private:
  Entry own_{}, *entries_ = nullptr, *entry_ = &own_;
  int size_;
};

// Seconds of a clock that never steps.
double now();

}  // namespace mt::distributed
