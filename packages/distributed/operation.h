// A call of a rank: stages, each of which starts transfers, and begins when those of the stage before it have ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "packages/distributed/agreement.h"
#include "packages/distributed/chain.h"
#include "packages/distributed/distributed.h"
#include "packages/distributed/reduction.h"
#include "packages/distributed/world.h"

namespace mt::distributed {

class Operation {
 public:
  enum class Kind : int32_t {
    barrier,
    broadcast,
    all_reduce,
    reduce,
    gather,
    scatter,
    all_gather,
    reduce_scatter,
    all_to_all,
    send,
    receive
  };

  Operation(World& world, Group& group, const mt_distributed_call& call);
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  // Goes as far as possible without waiting. Returns whether anything has happened.
  bool advance();

  bool ended() const { return ended_; }
  const std::string& error() const { return error_; }  // empty if it has succeeded
  bool in_transfer() const { return !transfers_.empty() || !exchanges_ended(); }
  const Header& header() const { return own_; }

  // Operations of one lane run one after the other: those of a group's ranks together, and messages of one tag between two ranks.
  int64_t lane() const { return lane_; }

  // The ranks, in the world, for which it waits: a list for the board.
  std::string waits_for() const;

 private:
  struct Transfer {
    Request request;
    int rank;  // in the group; -1: several
    bool incoming;
    int* left;  // counts the transfers of a block that go on; null outside of reductions
  };
  using Stage = std::function<void()>;

  // Tags of MPI: of collective calls, 0 the agreement's, and from `message_tags` three of each tag of messages.
  static constexpr int exchange_tag = 1, share_tag = 2, message_tags = 4;

  void then(Stage stage) { stages_.push_back(std::move(stage)); }
  void send(const void* from, size_t count, size_t bytes, int rank, int tag);
  void receive(void* to, size_t count, size_t bytes, int rank, int tag);
  bool transfers_ended();
  bool exchanges_ended() const;
  void fail(const std::string& reason);
  void check_time();
  std::vector<int> waited_for() const;
  std::string waited_ranks() const;  // with what each does

  Agreement::Cargo cargo() const;
  void compare();
  void plan();
  void unload();
  bool plan_among_machines();
  int message_tag(int what) const;
  void plan_send();
  void plan_receive();
  void plan_reduction();
  void combine(const std::byte* vectors);
  bool combine_next_block();
  void exchange_block(size_t block);
  void combine_block(size_t block);
  void share_block(size_t block);
  template <class F> void collective(const char* name, F start) {
    Request request;
    world_.check(start(whole_count(), world_.element(bytes_), &request), name);
    transfers_.push_back({request, -1, true, nullptr});
  }
  int whole_count() const;  // for functions of MPI, which count in int

  // Blocks of a reduction that are on their way at the same time.
  static constexpr size_t window = 4;

  // A block of a reduction, a part of which each rank computes.
  struct Part {
    size_t begin, count;
  };
  size_t longest_part() const;  // elements
  size_t blocks() const;
  Part part(size_t block, int rank) const;
  bool is_target(int rank) const { return call_.peer < 0 || call_.peer == rank; }
  std::byte* scratch(size_t block, int rank);
  std::byte* result(size_t block);
  std::byte* input(size_t element) const;
  std::byte* output(size_t element) const;

  World& world_;
  Group& group_;
  mt_distributed_call call_;
  size_t bytes_;  // of an element
  Header own_, answer_;
  Header theirs_;                         // of a message
  std::unique_ptr<Agreement> agreement_;  // of a collective call
  std::unique_ptr<Chain> chain_;
  bool has_cargo_ = false;
  std::deque<Stage> stages_;
  std::vector<Transfer> transfers_;
  std::vector<std::byte> scratch_;
  size_t blocks_ = 0, next_block_ = 0;                  // of a reduction; the first one that has not been combined
  int exchanging_[window] = {}, sharing_[window] = {};  // transfers of blocks that go on, by block modulo the window
  int* left_ = nullptr;                                 // of the transfers that begin
  int64_t lane_;
  double begun_;
  bool ended_ = false;
  std::string error_;
};

}  // namespace mt::distributed
