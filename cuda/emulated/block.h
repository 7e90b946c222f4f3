// A block of an emulated grid: its threads are fibres, of which one at a time runs in one thread of the host. Undefined behaviour of a GPU
// is an error here: a barrier that some threads don't reach, a race in shared memory, a read of shared memory that no thread wrote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cuda/emulated/fibre.h"

namespace mt::cuda {
class Thread;
}

namespace mt::cuda::emulated {

struct alignas(16) Slot {
  std::byte bytes[16];
};  // the value of a lane in a collective of its warp

enum class Access : uint8_t { read, write, atomic };

// A launch: the kernel's value, and the function that calls it for a thread.
struct Launch {
  const char* name;
  void (*run)(const void* kernel, Thread& thread);
  const void* kernel;
  int64_t blocks;
  int threads;
  size_t shared_bytes;
};

class Block {
 public:
  static constexpr int most_threads = 1024, lanes = 32;
  static constexpr size_t most_shared_bytes = 227 * 1024;

  // Runs the blocks of a launch, in an order that depends on the seed. Returns the kernel's error, or an empty string.
  std::string run(const Launch& kernel, uint64_t seed);

  int threads() const { return kernel_->threads; }
  int64_t number() const { return number_; }
  int64_t blocks() const { return kernel_->blocks; }

  // For the running thread.
  void barrier();
  void warp_barrier();
  const Slot* meet_warp(const void* value, size_t bytes);  // the values of all lanes
  std::byte* shared_access(size_t offset, size_t bytes, Access access);
  void expect_shared(size_t bytes);
  [[noreturn]] void fail(const char* what);

 private:
  enum class State : uint8_t { ready, at_barrier, at_warp, done };
  // The last access to an element of shared memory: the thread, and the numbers of block and warp barriers before the access.
  struct Moment {
    int16_t thread = -1;
    uint32_t barriers = 0, warp_barriers = 0;
  };
  enum class Readers : uint8_t { one, one_warp, many };  // since the last barrier
  struct Cell {
    Moment write, read;
    Readers readers = Readers::one;
    bool written = false, by_atomic = false;
  };
  struct Warp {
    Slot slots[2][lanes];
    int arrived = 0;
    uint32_t meetings = 0, warp_barriers = 0;
    size_t bytes = 0;  // of each lane's value in the current collective
  };

  void run_block(uint64_t seed);
  void run_thread(int index);
  bool ordered(const Moment& earlier) const;
  bool read_by_others(const Cell& cell) const;  // and there was no barrier since
  Moment now() const;
  void wait(State state);

  const Launch* kernel_ = nullptr;
  int64_t number_ = 0;
  int running_ = 0, at_barrier_ = 0, done_ = 0;
  uint32_t barriers_ = 0;
  std::vector<State> states_;
  std::vector<int> fibres_;  // of each thread; -1: none yet
  std::vector<Warp> warps_;
  std::vector<std::unique_ptr<Fibre>> pool_;
  std::vector<int> idle_;
  std::vector<std::byte> shared_;
  std::vector<Cell> cells_;
  size_t cells_used_ = 0;
  std::string failure_;
};

}  // namespace mt::cuda::emulated
