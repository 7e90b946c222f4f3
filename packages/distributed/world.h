// What the process has of MPI: the library, the groups of ranks, the types of elements.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
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

  std::string text() const { return line[0] != 0 ? std::string(call) + " at " + line : call; }
};
static_assert(sizeof(Header) == 256);

struct Group {
  int32_t number;
  Comm comm;
  int rank, size;              // rank -1: this process is outside
  std::vector<int> members;    // ranks in the world
  bool spread;                 // over several machines
  Header agreed;               // the last call in which all ranks agreed
  std::map<int, Header> last;  // the last call of those ranks in this group that tell this one of theirs
  std::string broken;          // why the group can't be used any more; empty if it can

  // Returns what is known of the last call of a rank; empty if nothing is.
  std::string last_call(int rank) const;
};

struct World {
  Mpi mpi;
  pid_t process;
  std::unique_ptr<Board> board;
  std::deque<Group> groups;  // the first one is the world
  uint64_t messages = 0;     // which this rank has sent to others, besides those in collective functions of MPI

  // Initialises MPI. Ends the process if the other ranks do not within so many seconds.
  World(const char* board_path, const char* line, double timeout);

  Group& add_group(Comm comm, std::vector<int> members);
  Datatype element(size_t bytes) const { return elements_[bytes]; }

  // Begin a message to or from a rank of a group.
  Request send(const Group& group, const void* from, int count, Datatype type, int rank, int tag);
  Request receive(const Group& group, void* to, int count, Datatype type, int rank, int tag) const;

  // Whether a transfer has ended, which then is null. A null one has.
  bool ended(Request& request) const;

  // Raises MPI's error, if it is one.
  void check(int code, const char* call) const;

 private:
  bool is_spread(const Group& group) const;

  Datatype elements_[17] = {};  // by size
};

}  // namespace mt::distributed
