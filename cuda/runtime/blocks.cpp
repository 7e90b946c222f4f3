#include "cuda/runtime/blocks.h"

#include <algorithm>
#include <tuple>

namespace mt::cuda {
namespace {

size_t rounded_to(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

// Whether the rest of a block is large enough for a separate block.
bool worth_cutting(const Block& block, size_t bytes) {
  const size_t rest = block.bytes - bytes;
  return block.small ? rest >= Blocks::granule : rest > Blocks::most_small;
}

}  // namespace

size_t Blocks::rounded(size_t bytes) { return rounded_to(std::max(bytes, granule), granule); }

size_t Blocks::segment_for(size_t bytes) {
  if (bytes <= most_small) return small_segment;
  if (bytes < large_segment / 2) return large_segment;
  return rounded_to(bytes, small_segment);
}

bool Blocks::Order::operator()(const Block* a, const Block* b) const {
  const auto key = [](const Block& x) {
    return std::tuple(x.pool, x.small, reinterpret_cast<uintptr_t>(x.stream.handle), x.bytes, reinterpret_cast<uintptr_t>(x.data));
  };
  return key(*a) < key(*b);
}

Block* Blocks::make(Block&& block) {
  auto owner = std::make_unique<Block>(std::move(block));
  Block* const made = owner.get();
  all_.emplace(made, std::move(owner));
  return made;
}

// Truncates the block; the rest becomes a free block.
void Blocks::cut(Block& block, size_t bytes) {
  Block rest;
  rest.data = block.data + bytes;
  rest.bytes = block.bytes - bytes;
  rest.stream = block.stream;
  rest.pool = block.pool;
  rest.small = block.small;
  rest.before = &block;
  rest.after = block.after;
  Block* const made = make(std::move(rest));
  if (block.after != nullptr) block.after->before = made;
  block.after = made;
  block.bytes = bytes;
  free_.insert(made);
}

Block* Blocks::use(Block& block) {
  block.in_use = true;
  used_.emplace(block.data, &block);
  return &block;
}

Block* Blocks::take(int pool, Stream stream, size_t bytes) {
  Block wanted;
  wanted.pool = pool;
  wanted.small = bytes <= most_small;
  wanted.stream = stream;
  wanted.bytes = bytes;
  const auto found = free_.lower_bound(&wanted);
  if (found == free_.end()) return nullptr;
  Block& block = **found;
  if (block.pool != pool || block.small != wanted.small || block.stream != stream) return nullptr;
  free_.erase(found);
  if (worth_cutting(block, bytes)) cut(block, bytes);
  return use(block);
}

Block* Blocks::take_from(std::byte* segment, size_t segment_bytes, int pool, Stream stream, size_t bytes) {
  Block whole;
  whole.data = segment;
  whole.bytes = segment_bytes;
  whole.stream = stream;
  whole.pool = pool;
  whole.small = bytes <= most_small;
  Block* const block = make(std::move(whole));
  segments_.emplace(segment, block);
  if (worth_cutting(*block, bytes)) cut(*block, bytes);
  return use(*block);
}

// Merges `next` into the block before it; neither may be in the list of free blocks.
void Blocks::join(Block& block, Block& next) {
  block.bytes += next.bytes;
  block.after = next.after;
  if (next.after != nullptr) next.after->before = &block;
  all_.erase(&next);
}

void Blocks::put_back(Block& block) {
  used_.erase(block.data);
  block.in_use = false;
  block.users.clear();
  Block* joined = &block;
  if (Block* const next = block.after; next != nullptr && !next->in_use) {
    free_.erase(next);
    join(block, *next);
  }
  if (Block* const before = block.before; before != nullptr && !before->in_use) {
    free_.erase(before);
    join(*before, block);
    joined = before;
  }
  free_.insert(joined);
}

void Blocks::share(int pool) {
  std::erase_if(free_, [&](const Block* block) { return block->pool == pool; });
  for (const auto& [address, block] : all_) {
    if (block->pool != pool) continue;
    block->pool = shared_pool;
    if (!block->in_use) free_.insert(block.get());
  }
}

Block* Blocks::block_of(const void* address) const {
  auto next = used_.upper_bound(static_cast<const std::byte*>(address));
  if (next == used_.begin()) return nullptr;
  Block* const block = std::prev(next)->second;
  return static_cast<const std::byte*>(address) < block->data + block->bytes ? block : nullptr;
}

}  // namespace mt::cuda
