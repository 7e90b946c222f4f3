#include "cuda/runtime/allocator.h"

#include <algorithm>
#include <map>

#include "cuda/runtime/context.h"
#include "cuda/runtime/device.h"
#include "cuda/runtime/fork.h"
#include "cuda/runtime/streams.h"
#include "engine/core/error.h"
#include "engine/core/sanitizer.h"

namespace mt::cuda {
namespace {

int64_t whole(size_t bytes) { return static_cast<int64_t>(bytes); }

}  // namespace

Memory CachingAllocator::allocate(size_t bytes) {
  refuse_in_child();
  const Stream stream = current_stream(device_);
  const size_t size = bytes > SIZE_MAX / 2 ? bytes : Blocks::rounded(bytes);
  std::unique_lock guard(lock_);
  const int pool = pool_of(stream);
  Block* block = find(size, stream, pool);
  if (block == nullptr) block = find_after_cleaning(size, stream, pool);
  if (block == nullptr) {
    guard.unlock();  // finalisers release tensors
    const bool collected = host().collect_garbage();
    guard.lock();
    if (collected) block = find(size, stream, pool);
    if (block != nullptr) ++stats_.retries;
    if (collected && block == nullptr) block = find_after_cleaning(size, stream, pool);
  }
  if (block == nullptr) {
    ++stats_.failures;
    guard.unlock();
    refuse(bytes);
  }
  use(*block, bytes);
  // Lets the sanitizer detect accesses beyond the requested size.
  return {block->data, address_sanitizer ? bytes : block->bytes};
}

Block* CachingAllocator::find(size_t bytes, Stream stream, int pool) {
  look_at_waiting(false);
  Block* const block = blocks_.take(pool, stream, bytes);
  return block != nullptr ? block : find_in_new_segment(bytes, stream, pool);
}

// Tries a segment of the normal size, then one for the block alone.
Block* CachingAllocator::find_in_new_segment(size_t bytes, Stream stream, int pool) {
  if (bytes > SIZE_MAX / 2) return nullptr;
  for (const size_t segment : {Blocks::segment_for(bytes), bytes}) {
    if (stats_.limit != 0 && stats_.reserved + whole(segment) > stats_.limit) continue;
    void* const data = driver::allocate(device_, segment);
    if (data == nullptr) continue;
    count(Count::allocation);
    ++stats_.driver_allocations;
    stats_.reserved += whole(segment);
    stats_.most_reserved = std::max(stats_.most_reserved, stats_.reserved);
    return blocks_.take_from(static_cast<std::byte*>(data), segment, pool, stream, bytes);
  }
  return nullptr;
}

// Recovers blocks that wait for other streams, and cached blocks of other sizes and streams.
Block* CachingAllocator::find_after_cleaning(size_t bytes, Stream stream, int pool) {
  if (capturing_ != shared_pool) return nullptr;  // allocation by the driver would wait for the device
  look_at_waiting(true);
  release_segments();
  Block* const block = find(bytes, stream, pool);
  if (block != nullptr) ++stats_.retries;
  return block;
}

int CachingAllocator::pool_of(Stream stream) const {
  return capturing_ != shared_pool && driver::is_capturing(stream) ? capturing_ : shared_pool;
}

void CachingAllocator::use(Block& block, size_t bytes) {
  block.number = static_cast<uint64_t>(++stats_.allocations);
  block.op = current_op();
  stats_.allocated += whole(block.bytes);
  stats_.most_allocated = std::max(stats_.most_allocated, stats_.allocated);
  stats_.most_blocks = std::max(stats_.most_blocks, ++stats_.blocks);
  mark(block, bytes);
}

void CachingAllocator::release(Memory memory) noexcept {
  if (is_unusable_child()) return;
  const std::lock_guard guard(lock_);
  let_go(*blocks_.block_of(memory.data));
}

void CachingAllocator::let_go(Block& block) noexcept {
  for (auto graph = graphs_.rbegin(); graph != graphs_.rend(); ++graph) {
    if (block.number <= graph->number && block.pool == shared_pool) {
      graph->held.push_back(&block);
      return;
    }
  }
  stats_.allocated -= whole(block.bytes);
  --stats_.blocks;
  if (block.users.empty()) return put_back(block);
  waiting_.push_back({&block, {}});  // the next allocation checks it
}

void CachingAllocator::put_back(Block& block) {
  mark(block, 0);
  blocks_.put_back(block);
}

// Events are recorded only outside captures: otherwise they would become part of the graph.
void CachingAllocator::look_at_waiting(bool until_done) {
  if (capturing_ != shared_pool) return;
  for (Waiting& entry : waiting_) {
    for (const Stream& user : entry.block->users) {
      entry.events.push_back(driver::create_event(device_, false));
      driver::record(entry.events.back(), user);
    }
    entry.block->users.clear();
  }
  std::erase_if(waiting_, [&](Waiting& entry) {
    while (!entry.events.empty()) {
      const Event event = entry.events.back();
      if (until_done)
        driver::synchronize(event);
      else if (!driver::is_done(event))
        return false;
      driver::destroy_event(event);
      entry.events.pop_back();
    }
    put_back(*entry.block);
    return true;
  });
}

void CachingAllocator::release_segments() {
  blocks_.release_free([this](void* data, size_t bytes) {
    driver::release(device_, data);
    ++stats_.driver_releases;
    stats_.reserved -= whole(bytes);
  });
}

void CachingAllocator::trim() {
  const std::lock_guard guard(lock_);
  if (capturing_ != shared_pool) return;
  look_at_waiting(true);
  release_segments();
}

bool CachingAllocator::record_use(const void* address, Stream stream) {
  const std::lock_guard guard(lock_);
  Block* const block = blocks_.block_of(address);
  if (block == nullptr) return false;
  if (block->stream != stream && std::ranges::find(block->users, stream) == block->users.end()) block->users.push_back(stream);
  return true;
}

bool CachingAllocator::holds(const void* address, size_t bytes) {
  const std::lock_guard guard(lock_);
  const Block* const block = blocks_.block_of(address);
  return block != nullptr && bytes <= block->bytes - static_cast<size_t>(static_cast<const std::byte*>(address) - block->data);
}

int CachingAllocator::begin_graph() {
  const std::lock_guard guard(lock_);
  if (capturing_ != shared_pool) raise("one graph of a device is captured at a time");
  capturing_ = ++graphs_made_;
  graphs_.push_back({capturing_, static_cast<uint64_t>(stats_.allocations), {}});
  return capturing_;
}

void CachingAllocator::end_capture() {
  const std::lock_guard guard(lock_);
  capturing_ = shared_pool;
}

void CachingAllocator::forget_graph(int graph) {
  const std::lock_guard guard(lock_);
  const auto found = std::ranges::find(graphs_, graph, &Graph::pool);
  if (found == graphs_.end()) return;
  const std::vector<Block*> held = std::move(found->held);
  graphs_.erase(found);
  blocks_.share(graph);
  for (Block* block : held) let_go(*block);
}

MemoryStats CachingAllocator::stats() {
  const std::lock_guard guard(lock_);
  MemoryStats all = stats_;
  all.segments = whole(blocks_.segments());
  return all;
}

void CachingAllocator::reset_peaks() {
  const std::lock_guard guard(lock_);
  stats_.most_allocated = stats_.allocated;
  stats_.most_reserved = stats_.reserved;
  stats_.most_blocks = stats_.blocks;
}

void CachingAllocator::set_limit(size_t bytes) {
  const std::lock_guard guard(lock_);
  stats_.limit = whole(bytes);
}

std::string CachingAllocator::holders(size_t most) {
  struct Held {
    int64_t bytes = 0, blocks = 0;
  };
  std::map<std::string_view, Held> by_op;
  {
    const std::lock_guard guard(lock_);
    blocks_.each_in_use([&](const Block& block) {
      Held& held = by_op[block.op.empty() ? std::string_view("no op") : block.op];
      held.bytes += whole(block.bytes);
      ++held.blocks;
    });
  }
  std::vector<std::pair<std::string_view, Held>> order(by_op.begin(), by_op.end());
  std::ranges::stable_sort(order, [](const auto& a, const auto& b) { return a.second.bytes > b.second.bytes; });
  if (order.size() > most) order.resize(most);
  std::string text;
  for (const auto& [op, held] : order)
    text += concat(text.empty() ? "" : "\n", op, ": ", held.bytes, " bytes in ", held.blocks, held.blocks == 1 ? " block" : " blocks");
  return text;
}

void CachingAllocator::refuse(size_t bytes) {
  const MemoryStats now = stats();
  std::string text = concat("out of memory: ", bytes, " bytes were asked for on ", device(device_).name(), ", where ", now.allocated,
                            " are in use and ", now.reserved - now.allocated, " kept for later");
  if (now.limit != 0) text += concat(", of at most ", now.limit);
  if (const std::string largest = holders(5); !largest.empty()) text.append("; most is held by\n").append(largest);
  raise_no_memory(text);
}

// Updates the address sanitizer about memory of kernels, in stream order.
void CachingAllocator::mark([[maybe_unused]] Block& block, [[maybe_unused]] size_t used) const {
#if defined(MT_CUDA_EMULATED)
  if constexpr (address_sanitizer) driver::set_usable(block.stream, block.data, used, block.bytes);
#endif
}

}  // namespace mt::cuda
