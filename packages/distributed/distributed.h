/* The C interface of the package's native part, which lua/distributed/native.lua declares to FFI. Functions that can fail return a negative
   number; mt_distributed_error then has the reason. Ranks count from 0. */
#pragma once

#include <stdint.h>

#define MT_PACKAGE_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const char* key;  /* what must be the same on all ranks, or at both ends of a message */
  const char* call; /* the call in messages */
  const char* line; /* of the program */
  int32_t kind;     /* an Operation::Kind */
  int32_t dtype, reduction;
  int32_t peer;  /* the root in the group, or the other end of a message; -1: each rank is a root */
  int32_t tag;   /* of a message, from 0 */
  int64_t count; /* elements: of the tensor, or of the part of it that belongs to one rank */
  const void* input;
  void* output;
  double timeout; /* seconds */
  /* A collective call on a GPU: no element moves here, but when the ranks have compared their calls, a thread begins the work by this
     function, which returns 0, or else leaves an error for that thread. Null: a call on memory of the host. */
  int32_t (*begin)(int32_t work);
  const char* (*device_error)(void);
  int32_t work;
} mt_distributed_call;

MT_PACKAGE_API const char* mt_distributed_error(void);

/* Opens and initialises MPI. `board` is the path of the launcher's file, or null. A second call has no effect. If MPI waits longer than so
   many seconds for other ranks, here or below, the process says so and ends: MPI can't give up. */
MT_PACKAGE_API int32_t mt_distributed_init(const char* board, const char* line, double timeout);

/* Rank and number of ranks of a group; the world is group 0. */
MT_PACKAGE_API int32_t mt_distributed_rank(int32_t group);
MT_PACKAGE_API int32_t mt_distributed_size(int32_t group);

/* Creates a group of ranks of the world, whose ranks all call this in the same order. Returns its number, also on ranks outside of it. */
MT_PACKAGE_API int32_t mt_distributed_new_group(const int32_t* ranks, int32_t count, const char* call, const char* line, double timeout);

/* Begins an operation, whose memory must stay until it has ended. Returns its number. */
MT_PACKAGE_API int64_t mt_distributed_begin(int32_t group, const mt_distributed_call* call);

/* Waits at most so many seconds. Returns 1 if the operation has ended, which releases it, and 0 if it has not. */
MT_PACKAGE_API int32_t mt_distributed_wait(int64_t operation, double seconds);

/* Lets a thread of the library continue the operations while the program computes. */
MT_PACKAGE_API void mt_distributed_continue(void);

/* The number of operations that have begun and not ended. */
MT_PACKAGE_API int64_t mt_distributed_pending(void);

/* Returns the communicator of a group, an MPI_Comm, for calls of another library: until mt_distributed_release, on the same thread, the
   package makes none. No operation may be pending on any rank. */
MT_PACKAGE_API void* mt_distributed_hold(int32_t group, const char* call, const char* line);
MT_PACKAGE_API void mt_distributed_release(void);

/* Messages from rank to rank that this rank has sent, besides those inside MPI's own collective functions. */
MT_PACKAGE_API int64_t mt_distributed_messages(void);

#ifdef __cplusplus
}
#endif
