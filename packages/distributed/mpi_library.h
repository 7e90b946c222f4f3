// The functions of MPI that the package calls, from a library that is opened at run time: Open MPI 4 or 5.
//
// The types and objects have Open MPI's ABI (libmpi.so.40), which is the same in all releases since 4.0: handles are pointers, and the
// predefined objects are variables of the library. No header of MPI is needed for the build.
#pragma once

#include <cstddef>

namespace mt::distributed {

using Comm = struct ompi_communicator_t*;
using Datatype = struct ompi_datatype_t*;
using Request = struct ompi_request_t*;
using Info = struct ompi_info_t*;
using ErrorHandler = struct ompi_errhandler_t*;

struct Mpi {
  static constexpr int undefined = -32766, thread_serialized = 2, longest_error = 256, shared_memory = 0;

  int (*Init_thread)(int*, char***, int, int*);
  int (*Initialized)(int*);
  int (*Finalize)();
  int (*Comm_rank)(Comm, int*);
  int (*Comm_size)(Comm, int*);
  int (*Comm_dup)(Comm, Comm*);
  int (*Comm_split)(Comm, int, int, Comm*);
  int (*Comm_split_type)(Comm, int, int, Info, Comm*);
  int (*Comm_free)(Comm*);
  int (*Comm_set_errhandler)(Comm, ErrorHandler);
  int (*Type_contiguous)(int, Datatype, Datatype*);
  int (*Type_commit)(Datatype*);
  int (*Isend)(const void*, int, Datatype, int, int, Comm, Request*);
  int (*Irecv)(void*, int, Datatype, int, int, Comm, Request*);
  int (*Test)(Request*, int*, void*);
  int (*Ibcast)(void*, int, Datatype, int, Comm, Request*);
  int (*Igather)(const void*, int, Datatype, void*, int, Datatype, int, Comm, Request*);
  int (*Iscatter)(const void*, int, Datatype, void*, int, Datatype, int, Comm, Request*);
  int (*Iallgather)(const void*, int, Datatype, void*, int, Datatype, Comm, Request*);
  int (*Ialltoall)(const void*, int, Datatype, void*, int, Datatype, Comm, Request*);
  int (*Error_string)(int, char*, int*);

  Comm world;
  Datatype byte;
  ErrorHandler errors_return;
  Info no_info;
};

// Opens the library with its symbols visible for the plug-ins that Open MPI loads. Returns a reason if it is missing or lacks a function.
const char* open_mpi(Mpi& mpi);

// For the leak sanitizer: Open MPI keeps memory until the process ends, in plug-ins that it has closed by then.
void ignore_leaks_of_this_thread();

}  // namespace mt::distributed
