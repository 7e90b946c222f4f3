// The begin of a collective call: the ranks compare their headers, and learn who is late.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "packages/distributed/exchange.h"
#include "packages/distributed/world.h"

namespace mt::distributed {

// A dissemination barrier (Hensgen, Finkel and Manber, "Two algorithms for barrier synchronization", 1988) that carries headers. In round k
// a rank tells the one 2^k after it of the calls that it knows, those of 2^k ranks. So after ceil(log2 n) rounds each rank knows whether
// all agree, by as many messages.
//
// Blocks of few bytes come along with the headers, so that a short call needs no other message.
//
// A rank that waits for long tells those to which it owes a message whom it waits for. So all ranks know the names of those that are late.
class Agreement : public Exchange {
 public:
  struct Cargo {
    const void* block;  // this rank's
    size_t bytes;       // of a block; 0: none
    int root;           // the only rank with a block, or -1: each has one
  };

  // Whether blocks are short enough to come along.
  static bool carries(const Group& group, size_t bytes, int root);

  Agreement(World& world, Group& group, const Header& own, double timeout, const Cargo& cargo);

  bool advance() override;
  bool ended() const override;
  std::vector<int> waits_for() const override { return waits_for(rounds_.size()); }

  // Why the calls differ; empty if they do not.
  std::string refusal() const;

  // The block of a rank, or the root's one.
  const std::byte* block(int rank) const { return blocks_.data() + (cargo_.root < 0 ? static_cast<size_t>(rank) * cargo_.bytes : 0); }

 private:
  struct Note;
  struct Call {
    int rank;
    Header header;
  };
  struct Round {
    int distance, source, target;
    std::unique_ptr<std::byte[]> in, out, late;
    Request receiving = nullptr, sending = nullptr, telling = nullptr;
    bool arrived = false, sent = false;
    std::vector<int> late_ranks, told;  // for whom the source waits, and of whom the target knows
  };

  void listen(Round& round);
  void accept(Round& round);
  void consider(const Call& call);
  void send(Round& round);
  std::vector<int> waits_for(size_t rounds) const;
  void tell_of_late_ranks();
  size_t blocks_of(const Round& round) const;
  void pack(const Round& round, std::byte* to) const;
  void unpack(const Round& round, const std::byte* from);

  World& world_;
  Group& group_;
  Header own_;
  Cargo cargo_;
  double tell_at_;
  std::vector<Round> rounds_;
  std::vector<Call> calls_;  // the lowest rank, and the lowest one of another call than that
  std::vector<std::byte> blocks_;
  bool has_root_block_;
};

}  // namespace mt::distributed
