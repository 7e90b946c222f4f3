// The stages of each collective call, after the ranks have compared their headers.
//
// Elements of short calls have come along with the headers. Others move by MPI's collective functions, and among machines along a chain
// (chain.h). Reductions do their own arithmetic, in the order of the ranks, so that their bits depend on the number of ranks alone, and
// floats of 16 bits are rounded once.
//
// On one machine short vectors go to all ranks, each of which reduces all of them. Long ones go in blocks: each rank gets its part of a
// block from all others, reduces it, and sends the result to all: each rank sends and receives 2 (n - 1) / n times the vector, the least
// that is possible. Several blocks are on their way at the same time, so that a rank that the system lets wait does not hold up the others
// at each block. They are combined in their order, as messages between two ranks arrive.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>

#include "packages/distributed/operation.h"

namespace mt::distributed {
namespace {

constexpr size_t short_bytes = 16 << 10;                      // of vectors that all ranks reduce
constexpr size_t block_bytes = 8 << 20;                       // of a block, if its parts then have a good length
constexpr size_t least_part = 32 << 10, most_part = 1 << 20;  // bytes of a rank's part of a block

}  // namespace

std::byte* Operation::input(size_t element) const { return static_cast<std::byte*>(const_cast<void*>(call_.input)) + element * bytes_; }
std::byte* Operation::output(size_t element) const { return static_cast<std::byte*>(call_.output) + element * bytes_; }

void Operation::plan() {
  if (ended_) return;
  if (call_.begin != nullptr) {
    if (call_.begin(call_.work) != 0) throw std::runtime_error(call_.device_error());
    return;
  }
  if (call_.count == 0) return;
  if (has_cargo_) return unload();
  if (group_.spread && plan_among_machines()) return;
  const Mpi& mpi = world_.mpi;
  switch (static_cast<Kind>(call_.kind)) {
    case Kind::broadcast:
      return collective("MPI_Ibcast", [&](int n, Datatype type, Request* request) {
        return mpi.Ibcast(call_.output, n, type, call_.peer, group_.comm, request);
      });
    case Kind::gather:
      return collective("MPI_Igather", [&](int n, Datatype type, Request* request) {
        return mpi.Igather(call_.input, n, type, call_.output, n, type, call_.peer, group_.comm, request);
      });
    case Kind::scatter:
      return collective("MPI_Iscatter", [&](int n, Datatype type, Request* request) {
        return mpi.Iscatter(call_.input, n, type, call_.output, n, type, call_.peer, group_.comm, request);
      });
    case Kind::all_gather:
      return collective("MPI_Iallgather", [&](int n, Datatype type, Request* request) {
        return mpi.Iallgather(call_.input, n, type, call_.output, n, type, group_.comm, request);
      });
    case Kind::all_to_all:
      return collective("MPI_Ialltoall", [&](int n, Datatype type, Request* request) {
        return mpi.Ialltoall(call_.input, n, type, call_.output, n, type, group_.comm, request);
      });
    case Kind::all_reduce:
    case Kind::reduce:
    case Kind::reduce_scatter:
      return plan_reduction();
    case Kind::barrier:  // done: all headers have arrived
    case Kind::send:
    case Kind::receive:
      return;
  }
}

// Uses the blocks that came along with the headers.
void Operation::unload() {
  const size_t bytes = static_cast<size_t>(call_.count) * bytes_, ranks = static_cast<size_t>(group_.size);
  switch (static_cast<Kind>(call_.kind)) {
    case Kind::broadcast:
      if (group_.rank != call_.peer) std::memcpy(call_.output, agreement_->block(call_.peer), bytes);
      return;
    case Kind::all_gather:
      std::memcpy(call_.output, agreement_->block(0), ranks * bytes);
      return;
    default:
      if (is_target(group_.rank)) combine(agreement_->block(0));
  }
}

// Reduces vectors of all ranks that lie one after the other.
void Operation::combine(const std::byte* vectors) {
  std::vector<const void*> inputs(static_cast<size_t>(group_.size));
  const size_t count = static_cast<size_t>(call_.count);
  for (size_t i = 0; i < inputs.size(); ++i) inputs[i] = vectors + i * count * bytes_;
  distributed::reduce(static_cast<Reduction>(call_.reduction), call_.dtype, inputs, call_.output, count);
}

// Calls among several machines in which not every rank sends to every other one. Returns whether the call is one of them.
bool Operation::plan_among_machines() {
  const Mpi& mpi = world_.mpi;
  const auto chain = [this](Chain::Kind kind) {
    const Chain::Call call{
        kind, static_cast<Reduction>(call_.reduction), call_.dtype, call_.peer, static_cast<size_t>(call_.count), input(0), output(0)};
    chain_ = std::make_unique<Chain>(world_, group_, call);
    return true;
  };
  const size_t bytes = static_cast<size_t>(call_.count) * bytes_, ranks = static_cast<size_t>(group_.size);
  switch (static_cast<Kind>(call_.kind)) {
    case Kind::broadcast:
      return chain(Chain::Kind::broadcast);
    case Kind::all_gather:
      return chain(Chain::Kind::all_gather);
    case Kind::all_reduce:
    case Kind::reduce: {
      const bool for_all = static_cast<Kind>(call_.kind) == Kind::all_reduce;
      if (bytes > short_bytes) return chain(for_all ? Chain::Kind::all_reduce : Chain::Kind::reduce);
      const int root = for_all ? 0 : call_.peer;
      if (group_.rank == root) scratch_.resize(ranks * bytes);
      collective("MPI_Igather", [&](int n, Datatype type, Request* request) {
        return mpi.Igather(call_.input, n, type, scratch_.data(), n, type, root, group_.comm, request);
      });
      then([this, root] {
        if (group_.rank == root) combine(scratch_.data());
      });
      if (!for_all) return true;
      then([this, root] {
        collective("MPI_Ibcast", [&](int n, Datatype type, Request* request) {
          return world_.mpi.Ibcast(call_.output, n, type, root, group_.comm, request);
        });
      });
      return true;
    }
    case Kind::reduce_scatter:
      if (ranks * bytes > short_bytes) return chain(Chain::Kind::reduce_scatter);
      scratch_.resize(ranks * bytes);
      collective("MPI_Ialltoall", [&](int n, Datatype type, Request* request) {
        return mpi.Ialltoall(call_.input, n, type, scratch_.data(), n, type, group_.comm, request);
      });
      then([this] { combine(scratch_.data()); });
      return true;
    default:
      return false;
  }
}

void Operation::plan_reduction() {
  const size_t ranks = static_cast<size_t>(group_.size), count = static_cast<size_t>(call_.count);
  const bool scatters = static_cast<Kind>(call_.kind) == Kind::reduce_scatter;
  if (ranks == 1) {
    std::memmove(call_.output, call_.input, count * bytes_);
    return;
  }
  if (!scatters && count * bytes_ <= short_bytes) {
    scratch_.resize(ranks * count * bytes_);
    collective("MPI_Iallgather", [&](int n, Datatype type, Request* request) {
      return world_.mpi.Iallgather(call_.input, n, type, scratch_.data(), n, type, group_.comm, request);
    });
    return then([this] {
      if (is_target(group_.rank)) combine(scratch_.data());
    });
  }
  blocks_ = blocks();
  const size_t first = std::min(window, blocks_);
  scratch_.resize(window * ranks * std::min(longest_part() * bytes_, count * bytes_));
  for (size_t block = 0; block < first; ++block) exchange_block(block);
}

// Combines the next block if its parts have arrived, and lets another one begin. Returns whether it has.
bool Operation::combine_next_block() {
  if (next_block_ == blocks_) return false;
  const size_t block = next_block_;
  if (exchanging_[block % window] > 0 || sharing_[block % window] > 0) return false;
  ++next_block_;
  combine_block(block);
  if (static_cast<Kind>(call_.kind) != Kind::reduce_scatter) share_block(block);
  if (block + window < blocks_) exchange_block(block + window);
  return true;
}

size_t Operation::longest_part() const {
  return std::clamp(block_bytes / static_cast<size_t>(group_.size), least_part, most_part) / bytes_;
}

size_t Operation::blocks() const {
  const size_t ranks = static_cast<Kind>(call_.kind) == Kind::reduce_scatter ? 1 : static_cast<size_t>(group_.size);
  const size_t block = ranks * longest_part();
  return (static_cast<size_t>(call_.count) + block - 1) / block;
}

// The elements of a block that a rank reduces, by their positions in its input.
Operation::Part Operation::part(size_t block, int rank) const {
  const size_t ranks = static_cast<size_t>(group_.size), mine = static_cast<size_t>(rank), count = static_cast<size_t>(call_.count);
  const size_t longest = longest_part();
  if (static_cast<Kind>(call_.kind) == Kind::reduce_scatter) {
    return {mine * count + block * longest, std::min(longest, count - block * longest)};
  }
  const size_t begin = block * ranks * longest, n = std::min(ranks * longest, count - begin), share = (n + ranks - 1) / ranks;
  const size_t from = std::min(mine * share, n);
  return {begin + from, std::min(share, n - from)};
}

// Memory for another rank's elements, and for the result of a rank that keeps none, until the block after `window` others is combined.
std::byte* Operation::scratch(size_t block, int rank) {
  const size_t room = scratch_.size() / window;
  return scratch_.data() + block % window * room + static_cast<size_t>(rank) * (room / static_cast<size_t>(group_.size));
}

void Operation::exchange_block(size_t block) {
  const size_t mine = part(block, group_.rank).count;
  left_ = &exchanging_[block % window];
  for (int step = 1; step < group_.size; ++step) {
    const int from = (group_.rank + group_.size - step) % group_.size, to = (group_.rank + step) % group_.size;
    const Part theirs = part(block, to);
    receive(scratch(block, from), mine, bytes_, from, exchange_tag);
    send(input(theirs.begin), theirs.count, bytes_, to, exchange_tag);
  }
}

void Operation::combine_block(size_t block) {
  const Part mine = part(block, group_.rank);
  std::vector<const void*> inputs(static_cast<size_t>(group_.size));
  for (int rank = 0; rank < group_.size; ++rank) {
    inputs[static_cast<size_t>(rank)] = rank == group_.rank ? input(mine.begin) : scratch(block, rank);
  }
  distributed::reduce(static_cast<Reduction>(call_.reduction), call_.dtype, inputs, result(block), mine.count);
}

// Where this rank writes the block's part that it reduces: its output, or its scratch memory if only the root has an output.
std::byte* Operation::result(size_t block) {
  if (static_cast<Kind>(call_.kind) == Kind::reduce_scatter) return output(block * longest_part());
  return is_target(group_.rank) ? output(part(block, group_.rank).begin) : scratch(block, group_.rank);
}

void Operation::share_block(size_t block) {
  const size_t mine = part(block, group_.rank).count;
  left_ = &sharing_[block % window];
  for (int step = 1; step < group_.size; ++step) {
    const int from = (group_.rank + group_.size - step) % group_.size, to = (group_.rank + step) % group_.size;
    const Part theirs = part(block, from);
    if (is_target(group_.rank)) receive(output(theirs.begin), theirs.count, bytes_, from, share_tag);
    if (is_target(to)) send(result(block), mine, bytes_, to, share_tag);
  }
}

}  // namespace mt::distributed
