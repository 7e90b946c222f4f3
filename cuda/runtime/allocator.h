// A device's memory: what is freed is kept, and handed out again in the order of the stream that it belongs to, without waiting for it.
// After what PyTorch's caching allocator does (Paszke et al. (2019), "PyTorch: an imperative style, high-performance deep learning
// library", NeurIPS, section 5.3).
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

  // Of the current stream of this thread. Where there is no memory, an error says who holds it.
  Memory allocate(size_t bytes) override;
  void release(Memory memory) noexcept override;  // on any thread
  void trim() override;

  // Work on the stream uses the memory: once it is released, it waits for what is on the stream by then.
  // False where the address is in no memory that is in use.
  bool record_use(const void* address, Stream stream);
  bool holds(const void* address, size_t bytes);  // in one block that is in use

  // From now on allocations on streams that are being captured come from a pool of the graph's own.
  int begin_graph();
  void end_capture();
  // What was there before the graph stays until this, as the graph may use it: its pool is everybody's then.
  void forget_graph(int graph);

  MemoryStats stats();
  void reset_peaks();
  void set_limit(size_t bytes);
  std::string holders(size_t most);  // a line for each op that holds much, the largest first

 private:
  struct Waiting {  // a released block that other streams may be at work with
    Block* block;
    std::vector<Event> events;
  };
  struct Graph {
    int pool;
    uint64_t number;           // the last allocation before it
    std::vector<Block*> held;  // what was released since
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
