// What the process has of MPI: the library, the groups of ranks, the types of elements.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "packages/distributed/board.h"
#include "packages/distributed/mpi_library.h"

namespace mt::distributed {

// What each rank sends to the others, or to the other end of a message, before any element: ranks with different keys refuse the call.
struct Header {
  uint64_t key;
  char call[120];
  char line[128];

  std::string text() const { return std::string(call) + " at " + line; }
};
static_assert(sizeof(Header) == 256);

struct Group {
  int32_t number;
  Comm comm;
  int rank, size;            // rank -1: this process is outside
  std::vector<int> members;  // ranks in the world
  std::vector<Header> last;  // the last call of each rank in this group
  std::string broken;        // why the group can't be used any more; empty if it can
};

struct World {
  Mpi mpi;
  pid_t process;
  std::unique_ptr<Board> board;
  std::deque<Group> groups;  // the first one is the world

  // Initialises MPI. Ends the process if the other ranks do not within so many seconds.
  World(const char* board_path, const char* line, double timeout);

  Group& add_group(Comm comm, std::vector<int> members);
  Datatype element(size_t bytes) const { return elements_[bytes]; }

  // Raises MPI's error, if it is one.
  void check(int code, const char* call) const;

 private:
  Datatype elements_[9] = {};  // by size
};

}  // namespace mt::distributed
