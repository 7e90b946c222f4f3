#include "packages/distributed/mpi_library.h"

#include <dlfcn.h>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

#include "engine/core/system_libraries.h"

namespace mt::distributed {

const char* open_mpi(Mpi& mpi) {
  void* const library = open_library(system_library("mpi"), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) return "the library of Open MPI was not found";
  bool complete = true;
  const auto find = [&](auto& target, const char* name) {
    void* const symbol = dlsym(library, name);
    complete = complete && symbol != nullptr;
    target = reinterpret_cast<std::remove_reference_t<decltype(target)>>(symbol);
  };
#define MT_X(name) find(mpi.name, "MPI_" #name);
  MT_X(Init_thread)
  MT_X(Initialized)
  MT_X(Finalize)
  MT_X(Comm_rank)
  MT_X(Comm_size)
  MT_X(Comm_dup)
  MT_X(Comm_split)
  MT_X(Comm_split_type)
  MT_X(Comm_free)
  MT_X(Comm_set_errhandler)
  MT_X(Type_contiguous)
  MT_X(Type_commit)
  MT_X(Isend)
  MT_X(Irecv)
  MT_X(Test)
  MT_X(Ibcast)
  MT_X(Igather)
  MT_X(Iscatter)
  MT_X(Iallgather)
  MT_X(Ialltoall)
  MT_X(Error_string)
#undef MT_X
  find(mpi.world, "ompi_mpi_comm_world");
  find(mpi.byte, "ompi_mpi_byte");
  find(mpi.no_info, "ompi_mpi_info_null");
  find(mpi.errors_return, "ompi_mpi_errors_return");
  return complete ? nullptr : "the library lacks a function, expected Open MPI 4 or 5";
}

void ignore_leaks_of_this_thread() {
#if defined(__SANITIZE_ADDRESS__)
  __lsan_disable();
#endif
}

}  // namespace mt::distributed
