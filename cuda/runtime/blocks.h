// Segments of a device's memory, divided into blocks. Free blocks are found by stream and size, and merged with free neighbours.
// Independent of the driver and of locks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include "cuda/runtime/driver.h"

namespace mt::cuda {

inline constexpr int shared_pool = 0;  // other numbers are pools of graphs

struct Block {
  std::byte* data = nullptr;
  size_t bytes = 0;
  Stream stream;
  int pool = shared_pool;
  bool small = false;  // in a segment for small blocks
  bool in_use = false;
  Block *before = nullptr, *after = nullptr;  // neighbours in the segment
  uint64_t number = 0;                        // sequence number of its allocation
  std::string_view op;                        // that allocated it
  std::vector<Stream> users;                  // other streams that use it
};

class Blocks {
 public:
  static constexpr size_t granule = 512, most_small = size_t{1} << 20;
  static constexpr size_t small_segment = size_t{2} << 20, large_segment = size_t{20} << 20;

  static size_t rounded(size_t bytes);
  // The size of a new segment for a block of this size.
  static size_t segment_for(size_t bytes);

  // Takes a free block of the pool and stream, cut to size; nullptr if there is none.
  Block* take(int pool, Stream stream, size_t bytes);
  // Takes a block from a new segment.
  Block* take_from(std::byte* segment, size_t segment_bytes, int pool, Stream stream, size_t bytes);
  void put_back(Block& block);  // the block becomes invalid: it may be merged with neighbours
  // Removes free segments of the pool, or of all pools, and passes them to `release(data, bytes)`.
  template <class F> void release_free(F&& release) {
    for (auto entry = segments_.begin(); entry != segments_.end();) {
      Block* const first = entry->second;
      if (first->in_use || first->after != nullptr || first->pool != shared_pool) {
        ++entry;
        continue;
      }
      free_.erase(first);
      release(first->data, first->bytes);
      all_.erase(first);
      entry = segments_.erase(entry);
    }
  }
  // Moves all blocks of a pool to the shared pool.
  void share(int pool);

  Block* block_of(const void* address) const;  // the used block with this address; nullptr if there is none
  size_t segments() const { return segments_.size(); }
  template <class F> void each_in_use(F&& f) const {
    for (const auto& [data, block] : used_) f(*block);
  }

 private:
  // Best fit: by pool, kind, stream, size, address.
  struct Order {
    bool operator()(const Block* a, const Block* b) const;
  };

  Block* make(Block&& block);
  void cut(Block& block, size_t bytes);
  void join(Block& block, Block& next);
  Block* use(Block& block);

  std::map<Block*, std::unique_ptr<Block>> all_;
  std::map<const std::byte*, Block*> segments_;  // their first blocks
  std::map<const std::byte*, Block*> used_;
  std::set<Block*, Order> free_;
};

}  // namespace mt::cuda
