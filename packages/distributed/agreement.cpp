#include "packages/distributed/agreement.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>

namespace mt::distributed {
namespace {

constexpr int tag = 0;
constexpr size_t room = 16 << 10;              // bytes of blocks in a message
constexpr int most_named = 4;                  // ranks in a message about late ones
constexpr double late = 0.5, share = 1.0 / 8;  // seconds, and part of the time limit, after which a rank is late
constexpr double tell_after = 0.02;            // seconds between two looks at who is late

}  // namespace

// A message. Only the used headers are sent; blocks follow.
struct Agreement::Note {
  enum State : int32_t { agrees, waits };

  int32_t state, count;       // of headers
  int32_t ranks[most_named];  // whose headers they are
  int32_t bytes;              // of blocks
  int32_t unused;
  Header headers[most_named];  // agrees: the sender's, and its calls_; waits: the last ones of late ranks

  size_t size() const { return offsetof(Note, headers) + static_cast<size_t>(count) * sizeof(Header); }
  void add(int rank, const Header& header) {
    ranks[count] = rank;
    headers[count++] = header;
  }
};

bool Agreement::carries(const Group& group, size_t bytes, int root) {
  const size_t most = root < 0 ? static_cast<size_t>(group.size / 2) : 1;
  return bytes > 0 && bytes <= room && most * bytes <= room;
}

Agreement::Agreement(World& world, Group& group, const Header& own, double timeout, const Cargo& cargo)
    : world_(world),
      group_(group),
      own_(own),
      cargo_(cargo),
      tell_at_(now() + std::min(late, timeout * share)),
      has_root_block_(cargo.root == group.rank) {
  blocks_.resize(cargo_.bytes * static_cast<size_t>(cargo_.root < 0 ? group_.size : 1));
  if (cargo_.bytes > 0 && (cargo_.root < 0 || has_root_block_)) {
    std::memcpy(const_cast<std::byte*>(block(group_.rank)), cargo_.block, cargo_.bytes);
  }
  consider({group_.rank, own_});
  for (int distance = 1; distance < group_.size; distance *= 2) {
    Round& round = rounds_.emplace_back();
    round.distance = distance;
    round.source = (group_.rank + group_.size - distance) % group_.size;
    round.target = (group_.rank + distance) % group_.size;
    round.in = std::make_unique_for_overwrite<std::byte[]>(sizeof(Note) + room);  // as calls that differ may carry other blocks
    listen(round);
  }
}

void Agreement::listen(Round& round) {
  round.receiving = world_.receive(group_, round.in.get(), sizeof(Note) + room, world_.mpi.byte, round.source, tag);
}

bool Agreement::advance() {
  bool moved = false, all_before = true;
  for (Round& round : rounds_) {
    if (!round.sent && all_before) {
      send(round);
      moved = true;
    }
    while (!round.arrived && world_.ended(round.receiving)) {
      accept(round);
      moved = true;
    }
    all_before = all_before && round.arrived;
    for (Request* const request : {&round.sending, &round.telling}) moved = (*request != nullptr && world_.ended(*request)) || moved;
  }
  if (const double time = now(); !moved && !all_before && time >= tell_at_) {
    tell_of_late_ranks();
    tell_at_ = time + tell_after;
  }
  return moved;
}

bool Agreement::ended() const {
  return std::all_of(rounds_.begin(), rounds_.end(), [](const Round& round) {
    return round.arrived && round.sent && round.sending == nullptr && round.telling == nullptr;
  });
}

void Agreement::accept(Round& round) {
  const Note& note = *reinterpret_cast<const Note*>(round.in.get());
  if (note.state == Note::waits) {
    round.late_ranks.assign(note.ranks, note.ranks + note.count);
    for (int i = 0; i < note.count; ++i) {
      if (note.headers[i].call[0] != 0) group_.last[note.ranks[i]] = note.headers[i];
    }
    return listen(round);
  }
  round.arrived = true;
  group_.last[round.source] = note.headers[0];
  for (int i = 1; i < note.count; ++i) consider({note.ranks[i], note.headers[i]});
  if (calls_.size() == 1) unpack(round, round.in.get());
}

// Keeps the lowest rank's call, and that of the lowest rank whose call differs from it.
void Agreement::consider(const Call& call) {
  calls_.push_back(call);
  std::sort(calls_.begin(), calls_.end(), [](const Call& a, const Call& b) { return a.rank < b.rank; });
  const uint64_t key = calls_[0].header.key;
  const auto other = std::find_if(calls_.begin(), calls_.end(), [&](const Call& each) { return each.header.key != key; });
  if (other != calls_.end()) calls_[1] = *other;
  calls_.resize(other != calls_.end() ? 2 : 1);
}

std::string Agreement::refusal() const {
  if (calls_.size() == 1) return "";
  const Call& theirs = calls_[own_.key == calls_[0].header.key ? 1 : 0];
  const auto member = [&](int rank) { return std::to_string(group_.members[static_cast<size_t>(rank)]); };
  return "rank " + member(group_.rank) + " calls " + own_.text() + ", rank " + member(theirs.rank) + " " + theirs.header.text() +
         ", expected the same call on all ranks";
}

void Agreement::send(Round& round) {
  Note note{};
  note.state = Note::agrees;
  note.add(group_.rank, own_);
  for (const Call& call : calls_) note.add(call.rank, call.header);
  note.bytes = static_cast<int32_t>(calls_.size() == 1 ? blocks_of(round) * cargo_.bytes : 0);
  const size_t size = note.size() + static_cast<size_t>(note.bytes);
  round.out = std::make_unique_for_overwrite<std::byte[]>(size);
  std::memcpy(round.out.get(), &note, note.size());
  if (note.bytes > 0) pack(round, round.out.get() + note.size());
  round.sent = true;
  round.sending = world_.send(group_, round.out.get(), static_cast<int>(size), world_.mpi.byte, round.target, tag);
}

// The blocks that this rank sends in a round: of this rank and of those before it. In the last round the target has most of them.
size_t Agreement::blocks_of(const Round& round) const {
  if (cargo_.bytes == 0) return 0;
  if (cargo_.root >= 0) return has_root_block_ ? 1 : 0;
  return static_cast<size_t>(std::min(round.distance, group_.size - round.distance));
}

void Agreement::pack(const Round& round, std::byte* to) const {
  for (size_t i = 0; i < blocks_of(round); ++i) {
    const int rank = (group_.rank + group_.size - static_cast<int>(i)) % group_.size;
    std::memcpy(to + i * cargo_.bytes, block(rank), cargo_.bytes);
  }
}

void Agreement::unpack(const Round& round, const std::byte* from) {
  const Note& note = *reinterpret_cast<const Note*>(from);
  from += note.size();
  if (cargo_.root >= 0 && note.bytes == 0) return;  // the source does not know the root's block
  const size_t blocks = cargo_.root >= 0 ? 1 : static_cast<size_t>(std::min(round.distance, group_.size - round.distance));
  if (static_cast<size_t>(note.bytes) != blocks * cargo_.bytes) throw std::runtime_error("ranks with one call sent blocks of other sizes");
  for (size_t i = 0; i < (cargo_.bytes > 0 ? blocks : 0); ++i) {
    const int rank = (round.source + group_.size - static_cast<int>(i)) % group_.size;
    std::memcpy(const_cast<std::byte*>(block(rank)), from + i * cargo_.bytes, cargo_.bytes);
  }
  has_root_block_ = has_root_block_ || cargo_.root >= 0;
}

// The ranks for which it waits in the first rounds.
std::vector<int> Agreement::waits_for(size_t rounds) const {
  std::vector<int> ranks;
  const auto add = [&](int rank) {
    if (rank != group_.rank && std::find(ranks.begin(), ranks.end(), rank) == ranks.end()) ranks.push_back(rank);
  };
  const std::span first(rounds_.data(), rounds);
  for (const Round& round : first) {
    if (round.arrived) continue;
    if (round.late_ranks.empty() || world_.board->is_lost(group_.members[static_cast<size_t>(round.source)])) {
      add(round.source);
    } else {
      for (const int rank : round.late_ranks) add(rank);
    }
  }
  for (const Round& round : first) {
    if (ranks.empty() && round.sending != nullptr) add(round.target);
  }
  return ranks;
}

// Tells the ranks to which this one can't send its calls yet whom it waits for, whenever that changes. What it says of a round comes from
// the rounds before it, so that no name goes in circles.
void Agreement::tell_of_late_ranks() {
  for (size_t i = 0; i < rounds_.size(); ++i) {
    Round& round = rounds_[i];
    if (round.sent || round.telling != nullptr) continue;
    std::vector<int> ranks = waits_for(i);
    ranks.resize(std::min(ranks.size(), size_t{most_named}));
    if (round.told == ranks) continue;
    round.told = ranks;
    Note note{};
    note.state = Note::waits;
    for (const int rank : ranks) {
      const auto known = group_.last.find(rank);
      note.add(rank, known != group_.last.end() ? known->second : Header{});
    }
    round.late = std::make_unique_for_overwrite<std::byte[]>(note.size());
    std::memcpy(round.late.get(), &note, note.size());
    round.telling = world_.send(group_, round.late.get(), static_cast<int>(note.size()), world_.mpi.byte, round.target, tag);
  }
}

}  // namespace mt::distributed
