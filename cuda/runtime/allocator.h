// The caching allocator of a device. Freed blocks are cached and reused in the order of their stream, without waiting for it. Follows the
// design of PyTorch's caching allocator (Paszke et al. (2019), "PyTorch: an imperative style, high-performance deep learning library",
// NeurIPS, section 5.3).
#pragma once

#include <deque>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "cuda/runtime/blocks.h"
#include "cuda/runtime/driver.h"
#include "engine/core/device.h"

namespace mt::cuda {

struct MemoryStats {
  int64_t allocated = 0, most_allocated = 0, reserved = 0, most_reserved = 0;  // bytes
  int64_t blocks = 0, most_blocks = 0, segments = 0;
  int64_t limit = 0;  // bytes; 0: none
  int64_t allocations = 0, driver_allocations = 0, driver_releases = 0, retries = 0, failures = 0;
};

class CachingAllocator final : public Allocator {
 public:
  explicit CachingAllocator(int device) : device_(device) {}

  // Allocates for the current stream of this thread. On failure the error lists the ops that hold most memory.
  Memory allocate(size_t bytes) override;
  void release(Memory memory) noexcept override;  // in any thread
  void trim() override;

  // Announces that work on a stream uses the memory: after its release, reuse waits for the work that is then on the stream.
  // Returns false if the address is not in a used block.
  bool record_use(const void* address, Stream stream);
  bool holds(const void* address, size_t bytes);  // whether one used block contains the range

  // Begins a capture: allocations on captured streams come from a pool of the graph.
  int begin_graph();
  void end_capture();
  // Ends the life of a graph: its pool joins the shared one, and blocks that were released during its life, which it may use, are freed.
  void forget_graph(int graph);

  MemoryStats stats();
  void reset_peaks();
  void set_limit(size_t bytes);
  std::string holders(size_t most);  // a line for each op with much memory, largest first

 private:
  struct Waiting {  // a released block that other streams may still use
    Block* block;
    std::vector<Event> events;
  };
  struct Graph {
    int pool;
    uint64_t number;           // number of the last allocation before it
    std::vector<Block*> held;  // blocks released since then
  };

  Block* find(size_t bytes, Stream stream, int pool);
  Block* find_in_new_segment(size_t bytes, Stream stream, int pool);
  Block* find_after_cleaning(size_t bytes, Stream stream, int pool);
  int pool_of(Stream stream) const;
  void use(Block& block, size_t bytes);
  void let_go(Block& block) noexcept;
  void put_back(Block& block);
  void look_at_waiting(bool until_done);
  void release_segments();
  [[noreturn]] void refuse(size_t bytes);
  void mark(Block& block, size_t used) const;

  const int device_;
  std::mutex lock_;
  Blocks blocks_;
  std::deque<Waiting> waiting_;
  std::vector<Graph> graphs_;
  int graphs_made_ = 0, capturing_ = shared_pool;
  MemoryStats stats_;
};

}  // namespace mt::cuda
