// Memory that the ranks of an emulated communicator share, in one process or several, and the transfers through it. They run in the threads
// of streams, and wait there for the other ranks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mt::cuda::emulated {

// What all ranks must call alike.
struct CallSignature {
  int32_t kind, dtype, reduction, root;
  uint64_t count;
  bool operator==(const CallSignature&) const = default;
};

// One end of a message that is on its way.
struct Message {
  bool is_sent;
  std::byte* memory;
  size_t bytes;
  int peer;
  size_t done = 0;
  bool ended = false;
};

class Exchange {
 public:
  static constexpr int most_ranks = 16;

  static std::string new_name();
  // Waits for all ranks. Raises an error if two of them have one device.
  Exchange(const std::string& name, int ranks, int rank, int device);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  // Raise std::runtime_error if the ranks differ in their calls, one has ended, or the exchange was aborted.
  void agree(const CallSignature& call);
  // Moves `bytes` bytes in parts. Each rank puts a part into its slot, and when all have, takes from the slots of any.
  using Put = std::function<void(std::byte* slot, size_t at, size_t bytes)>;
  using Take = std::function<void(size_t at, size_t bytes)>;
  void move(size_t bytes, const Put& put, const Take& take);
  const std::byte* slot(int rank) const { return slots_ + static_cast<size_t>(rank) * part_bytes; }
  void pass(std::vector<Message> messages);  // all together, in the order of each direction between two ranks

  bool is_waited_for() const { return header_->waiting.load() > 0; }
  void abort() noexcept { header_->aborted.store(1); }

 private:
  static constexpr size_t part_bytes = 64 << 10;

  struct Seat {
    std::atomic<int32_t> process, device;
    std::atomic<uint64_t> steps;
    CallSignature call;
  };
  struct Header {
    std::atomic<int32_t> joined, aborted, waiting;
    Seat seats[most_ranks];
  };
  // From one rank to another: the part is full while more have been put into it than taken out.
  struct Channel {
    std::atomic<uint64_t> put, taken;
    uint64_t bytes;  // of the whole message
    std::byte part[part_bytes];
  };

  void meet();
  void wait(const std::function<bool()>& ready);
  void check_others();
  bool advance(Message& message);
  Channel& channel(int from, int to) { return channels_[from * ranks_ + to]; }

  const int ranks_, rank_;
  size_t bytes_;
  Header* header_;
  std::byte* slots_;
  Channel* channels_;
};

}  // namespace mt::cuda::emulated
