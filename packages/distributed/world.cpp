#include "packages/distributed/world.h"

#include <unistd.h>

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
  for (const int bytes : {1, 2, 4, 8}) {
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
  group.last.resize(members.size());
  group.members = std::move(members);
  if (comm != nullptr) {
    check(mpi.Comm_set_errhandler(comm, mpi.errors_return), "MPI_Comm_set_errhandler");
    check(mpi.Comm_rank(comm, &group.rank), "MPI_Comm_rank");
  }
  return group;
}

void World::check(int code, const char* call) const {
  if (code == 0) return;
  char text[Mpi::longest_error] = "";
  int length = 0;
  mpi.Error_string(code, text, &length);
  throw std::runtime_error(std::string(call) + ": " + text);
}

}  // namespace mt::distributed
