#include "packages/distributed/chain.h"

#include <algorithm>
#include <cstring>

namespace mt::distributed {
namespace {

constexpr int up_tag = 1, down_tag = 2;
// Bytes. Open MPI sends up to 64 KB over TCP at once, and asks the receiver before longer messages.
constexpr size_t shortest_piece = 16 << 10, longest_piece = 60 << 10;

}  // namespace

Chain::Chain(World& world, Group& group, const Call& call)
    : world_(world), group_(group), call_(call), bytes_(size_of(call.dtype)), wide_(size_of(partial_dtype(call.dtype))) {
  const size_t ranks = static_cast<size_t>(group.size);
  const size_t parts = call.kind == Kind::all_gather || call.kind == Kind::reduce_scatter ? ranks : 1;
  // Pieces of such a length that the chain is full most of the time.
  const size_t total = parts * call.count * bytes_;
  longest_ = std::min(std::clamp(total / (4 * ranks), shortest_piece, longest_piece) / bytes_, call.count);
  per_part_ = (call.count + longest_ - 1) / longest_;
  pieces_ = parts * per_part_;
  if (!reduces()) combined_ = pieces_;
  if (reduces() && group.rank > 0) received_.resize(window * longest_ * wide_);
  if (reduces() && group.rank > 0 && (!is_last() || call.kind != Kind::all_reduce)) partial_.resize(window * longest_ * wide_);
  if (call.kind == Kind::all_gather) {
    std::memcpy(call.output + static_cast<size_t>(group.rank) * call.count * bytes_, call.input, call.count * bytes_);
  }
}

// The pieces of allGather begin with the rank's own ones, then come those of the rank before it, and so on.
Chain::Piece Chain::piece(size_t i) const {
  const int part = static_cast<int>(i / per_part_);
  const size_t begin = i % per_part_ * longest_, count = std::min(longest_, call_.count - begin);
  if (call_.kind == Kind::reduce_scatter) return {part, static_cast<size_t>(part) * call_.count + begin, begin, count};
  if (call_.kind != Kind::all_gather) return {call_.root, begin, begin, count};
  const int owner = (group_.rank + group_.size - part) % group_.size;
  return {owner, begin, static_cast<size_t>(owner) * call_.count + begin, count};
}

int Chain::source(const Piece& piece) const {
  if (call_.kind == Kind::all_reduce) return is_last() ? -1 : group_.rank + 1;
  if (reduces()) return piece.owner == group_.rank && !is_last() ? group_.size - 1 : -1;
  return piece.owner == group_.rank ? -1 : (group_.rank + group_.size - 1) % group_.size;
}

int Chain::target(const Piece& piece) const {
  if (call_.kind == Kind::all_reduce) return group_.rank - 1;
  if (reduces()) return is_last() && piece.owner != group_.rank ? piece.owner : -1;
  const int next = (group_.rank + 1) % group_.size;
  return piece.owner == next ? -1 : next;
}

// Bytes of an element on the way up: the first rank sends its elements as they are.
size_t Chain::bytes_up(int from) const { return from == 0 ? bytes_ : wide_; }

// Where the last rank writes a piece of the result, and others receive it.
std::byte* Chain::result(size_t i, const Piece& piece) {
  const bool keeps = call_.kind == Kind::all_reduce || piece.owner == group_.rank || !reduces();
  return keeps ? call_.output + piece.output * bytes_ : slot(partial_, i);
}

void Chain::begin(Flow& flow, Request request) {
  flow.requests.push_back(request);
  ++flow.begun;
}

bool Chain::end(Flow& flow) {
  bool any = false;
  for (; !flow.requests.empty() && world_.ended(flow.requests.front()); any = true) {
    flow.requests.pop_front();
    ++flow.done;
  }
  return any;
}

// Combines pieces and sends them up.
bool Chain::raise() {
  bool moved = false;
  const int rank = group_.rank;
  for (; rank > 0 && up_in_.begun < std::min(pieces_, combined_ + window); moved = true) {
    const size_t bytes = piece(up_in_.begun).count * bytes_up(rank - 1);
    begin(up_in_, world_.receive(group_, slot(received_, up_in_.begun), static_cast<int>(bytes), world_.mpi.byte, rank - 1, up_tag));
  }
  // The last rank's slots are free when the results in them have gone down.
  const Flow& leaving = is_last() ? down_out_ : up_out_;
  while (combined_ < pieces_ && (rank == 0 || up_in_.done > combined_) && combined_ < leaving.done + window) {
    const Piece next = piece(combined_);
    const std::byte* const x = call_.input + next.input * bytes_;
    if (rank > 0) {
      std::byte* const out = is_last() ? result(combined_, next) : slot(partial_, combined_);
      reduce_step(call_.reduction, call_.dtype, {rank == 1, is_last(), group_.size}, slot(received_, combined_), x, out, next.count);
    }
    if (!is_last()) {
      const std::byte* const from = rank == 0 ? x : slot(partial_, combined_);
      begin(up_out_, world_.send(group_, from, static_cast<int>(next.count * bytes_up(rank)), world_.mpi.byte, rank + 1, up_tag));
    }
    ++combined_;
    moved = true;
  }
  return moved;
}

// Receives pieces of the result and passes them on.
bool Chain::pass() {
  bool moved = false;
  // A piece of the output may be one of the input, which has to be sent before.
  const size_t sent = reduces() && !is_last() ? up_out_.done : pieces_;
  for (; down_in_.begun < std::min(sent, down_in_.done + window); moved = true) {
    const Piece next = piece(down_in_.begun);
    const int from = source(next);
    begin(down_in_, from < 0 ? nullptr
                             : world_.receive(group_, result(down_in_.begun, next), static_cast<int>(next.count * bytes_), world_.mpi.byte,
                                              from, down_tag));
  }
  moved = end(down_in_) || moved;
  for (; down_out_.begun < std::min({combined_, down_in_.done, down_out_.done + window}); moved = true) {
    const Piece next = piece(down_out_.begun);
    const int to = target(next);
    begin(down_out_, to < 0 ? nullptr
                            : world_.send(group_, result(down_out_.begun, next), static_cast<int>(next.count * bytes_), world_.mpi.byte, to,
                                          down_tag));
  }
  return moved;
}

bool Chain::advance() {
  bool moved = false;
  for (Flow* const flow : {&up_in_, &up_out_, &down_in_, &down_out_}) moved = end(*flow) || moved;
  if (reduces()) moved = raise() || moved;
  return pass() || moved;
}

bool Chain::ended() const { return down_out_.done == pieces_; }

std::vector<int> Chain::waits_for() const {
  const auto waits = [](const Flow& flow) { return !flow.requests.empty() && flow.requests.front() != nullptr; };
  const Piece received = piece(std::min(down_in_.done, pieces_ - 1)), sent = piece(std::min(down_out_.done, pieces_ - 1));
  if (waits(up_in_)) return {group_.rank - 1};
  if (waits(down_in_)) return {source(received)};
  if (waits(up_out_)) return {group_.rank + 1};
  if (waits(down_out_)) return {target(sent)};
  return {};
}

}  // namespace mt::distributed
