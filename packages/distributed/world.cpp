#include "packages/distributed/world.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <stdexcept>

#include "packages/distributed/limit.h"

namespace mt::distributed {

namespace {

// The launcher, mpirun or srun say in a variable what MPI knows only after its initialisation.
int number_of(const char* variable, int otherwise) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::atoi(text) : otherwise;
}

}  // namespace

World::World(const char* board_path, const char* line, double timeout) : process(getpid()) {
  if (const char* const reason = open_mpi(mpi)) throw std::runtime_error(reason);
  ignore_leaks_of_this_thread();
  const int rank = number_of("OMPI_COMM_WORLD_RANK", 0), ranks = number_of("OMPI_COMM_WORLD_SIZE", 1);
  board = std::make_unique<Board>(board_path, rank, ranks);
  const Limit limit(*board, "init", line, timeout);
  int initialized = 0, provided = 0;
  mpi.Initialized(&initialized);
  if (!initialized) check(mpi.Init_thread(nullptr, nullptr, Mpi::thread_serialized, &provided), "MPI_Init_thread");
  if (!initialized && provided < Mpi::thread_serialized) throw std::runtime_error("MPI has no support of threads");
  for (const int bytes : {1, 2, 4, 8, 16}) {
    check(mpi.Type_contiguous(bytes, mpi.byte, &elements_[bytes]), "MPI_Type_contiguous");
    check(mpi.Type_commit(&elements_[bytes]), "MPI_Type_commit");
  }
  Comm comm;
  check(mpi.Comm_dup(mpi.world, &comm), "MPI_Comm_dup");
  int size;
  check(mpi.Comm_size(comm, &size), "MPI_Comm_size");
  std::vector<int> members(static_cast<size_t>(size));
  std::iota(members.begin(), members.end(), 0);
  add_group(comm, members);
}

Group& World::add_group(Comm comm, std::vector<int> members) {
  Group& group = groups.emplace_back();
  group.number = static_cast<int32_t>(groups.size() - 1);
  group.comm = comm;
  group.rank = -1;
  group.size = static_cast<int>(members.size());
  group.members = std::move(members);
  group.spread = false;
  group.agreed = {};
  if (comm != nullptr) {
    check(mpi.Comm_set_errhandler(comm, mpi.errors_return), "MPI_Comm_set_errhandler");
    check(mpi.Comm_rank(comm, &group.rank), "MPI_Comm_rank");
    group.spread = is_spread(group);
  }
  return group;
}

bool World::is_spread(const Group& group) const {
  if (const int together = number_of("MOONTORCH_RANKS_PER_MACHINE", 0); together > 0) {
    const auto machine = [&](int rank) { return rank / together; };
    return std::any_of(group.members.begin(), group.members.end(), [&](int rank) { return machine(rank) != machine(group.members[0]); });
  }
  Comm here;
  int ranks_here;
  check(mpi.Comm_split_type(group.comm, Mpi::shared_memory, 0, mpi.no_info, &here), "MPI_Comm_split_type");
  check(mpi.Comm_size(here, &ranks_here), "MPI_Comm_size");
  check(mpi.Comm_free(&here), "MPI_Comm_free");
  return ranks_here < group.size;  // on all ranks of the group, or on none
}

Request World::send(const Group& group, const void* from, int count, Datatype type, int rank, int tag) {
  Request request;
  check(mpi.Isend(from, count, type, rank, tag, group.comm, &request), "MPI_Isend");
  ++messages;
  return request;
}

Request World::receive(const Group& group, void* to, int count, Datatype type, int rank, int tag) const {
  Request request;
  check(mpi.Irecv(to, count, type, rank, tag, group.comm, &request), "MPI_Irecv");
  return request;
}

bool World::ended(Request& request) const {
  if (request == nullptr) return true;
  int done = 0;
  check(mpi.Test(&request, &done, nullptr), "MPI_Test");
  if (done != 0) request = nullptr;
  return done != 0;
}

std::string Group::last_call(int rank) const {
  const auto found = last.find(rank);
  return found != last.end() ? found->second.text() : agreed.call;
}

void World::check(int code, const char* call) const {
  if (code == 0) return;
  char text[Mpi::longest_error] = "";
  int length = 0;
  mpi.Error_string(code, text, &length);
  throw std::runtime_error(std::string(call) + ": " + text);
}

}  // namespace mt::distributed
