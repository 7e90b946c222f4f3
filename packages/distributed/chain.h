// Collective calls of long vectors among ranks on several machines: each rank exchanges messages with its neighbours alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "packages/distributed/exchange.h"
#include "packages/distributed/reduction.h"
#include "packages/distributed/world.h"

namespace mt::distributed {

// The vector passes in pieces, of which several are on their way at the same time.
//
// Reductions: partial results go up from the first rank to the last, each of which combines them with its elements. So the result is
// ((x0 + x1) + x2) + ..., and its bits depend on the number of ranks alone. The last rank sends it down the same way (allReduce), to the
// root (reduce), or to the rank that owns the part (reduceScatter). A rank sends twice the vector at most, where a ring sends it
// 2 (n - 1) / n times; and each cable between machines carries it once in each direction, as long as the ranks of a machine follow each
// other, however many these are.
//
// broadcast and allGather: elements go from their rank to the next one, up to the one before it.
class Chain : public Exchange {
 public:
  enum class Kind { broadcast, all_reduce, reduce, all_gather, reduce_scatter };

  struct Call {
    Kind kind;
    Reduction reduction;
    int32_t dtype;
    int root;
    size_t count;  // elements: of the tensor, or of the part of it that belongs to one rank
    const std::byte* input;
    std::byte* output;
  };

  Chain(World& world, Group& group, const Call& call);

  bool advance() override;
  bool ended() const override;
  std::vector<int> waits_for() const override;

 private:
  // Messages of pieces with one direction, which begin and end in the order of the pieces.
  struct Flow {
    std::deque<Request> requests;  // null: none for that piece
    size_t begun = 0, done = 0;
  };
  struct Piece {
    int owner;                    // allGather: the rank whose elements they are; reduceScatter: the rank that gets the result
    size_t input, output, count;  // elements
  };

  bool reduces() const { return call_.kind != Kind::broadcast && call_.kind != Kind::all_gather; }
  bool is_last() const { return group_.rank == group_.size - 1; }
  Piece piece(size_t i) const;
  int source(const Piece& piece) const;  // of a piece of the result, or -1
  int target(const Piece& piece) const;
  size_t bytes_up(int from) const;
  std::byte* result(size_t i, const Piece& piece);
  std::byte* slot(std::vector<std::byte>& slots, size_t i) { return slots.data() + i % window * longest_ * wide_; }
  void begin(Flow& flow, Request request);
  bool end(Flow& flow);
  bool raise();
  bool pass();

  static constexpr size_t window = 32;  // pieces on their way

  World& world_;
  Group& group_;
  Call call_;
  size_t bytes_, wide_;  // of an element, and of one of a partial result
  size_t longest_, per_part_, pieces_;
  size_t combined_ = 0;
  Flow up_in_, up_out_, down_in_, down_out_;
  std::vector<std::byte> received_, partial_;
};

}  // namespace mt::distributed
