// Transfers and reductions between GPUs, of one process or several, by a vendor's library. Two files implement it:
// cuda/real/collectives.cpp with NCCL, which is loaded on first use and may be missing, and cuda/emulated/collectives.cpp over memory that
// processes share. Only `join` and `join_all` wait, for the other ranks.
//
// A communicator is one rank's membership: a device among those of all ranks, which count from 0. All ranks make the same calls in the same
// order. Addresses are as in tensors, on the communicator's device; an output may be its input.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cuda/runtime/driver.h"
#include "engine/core/dtype.h"

namespace mt::cuda::collectives {

enum class Reduction : int32_t { sum, product, min, max, mean };

using UniqueId = std::array<std::byte, 128>;  // of the communicators of one call of `join` on all ranks; made by one rank
struct Member;
using Communicator = Member*;

std::string missing();  // why the library can't be used, with its package's name; empty if it can
int version();          // in NCCL's numbering: 22809 is 2.28.9
bool reduces(DType dtype);
std::string device_id(int device);  // the same in all processes, and different for all devices

UniqueId unique_id();
Communicator join(int device, int ranks, const UniqueId& id, int rank);
std::vector<Communicator> join_all(const std::vector<int>& devices);  // several ranks of this process
void leave(Communicator communicator) noexcept;                       // after its work
void abort(Communicator communicator) noexcept;                       // ends its work, also that of other ranks, with an error
std::string failure(Communicator communicator);                       // of work that has begun; empty if there is none

// Calls between begin_group and end_group of one thread run together: those of several communicators, or messages in both directions.
void begin_group();
void end_group();

void broadcast(Communicator communicator, Stream stream, const void* in, void* out, size_t bytes, int root);
void all_gather(Communicator communicator, Stream stream, const void* in, void* out, size_t bytes);  // bytes of each rank
void send(Communicator communicator, Stream stream, const void* in, size_t bytes, int peer);
void receive(Communicator communicator, Stream stream, void* out, size_t bytes, int peer);

// Elements of each rank, and what they become.
struct Reduced {
  size_t count;
  DType dtype;
  Reduction reduction;
};
void all_reduce(Communicator communicator, Stream stream, const void* in, void* out, const Reduced& elements);
void reduce(Communicator communicator, Stream stream, const void* in, void* out, const Reduced& elements, int root);
void reduce_scatter(Communicator communicator, Stream stream, const void* in, void* out, const Reduced& elements);  // count: of the result

}  // namespace mt::cuda::collectives
