#include "cuda/runtime/pinned.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "cuda/runtime/context.h"
#include "cuda/runtime/driver.h"
#include "cuda/runtime/fork.h"

namespace mt::cuda {
namespace {

struct Pinned {
  std::mutex lock;
  std::map<const std::byte*, size_t> blocks;
  std::atomic<size_t> count{0};
  std::vector<void*> kept;  // for graphs
  int graphs = 0;
};
Pinned& all() {
  static auto& one = *new Pinned;  // tensors may outlive static objects
  return one;
}

void release_all(const std::vector<void*>& blocks) noexcept {
  for (void* memory : blocks) driver::release_pinned(memory);
}

}  // namespace

void* allocate_pinned(size_t bytes) {
  refuse_in_child();
  void* const memory = driver::allocate_pinned(std::max<size_t>(bytes, 1));
  if (memory == nullptr) raise_no_memory("there is no memory left that can be pinned");
  const std::lock_guard guard(all().lock);
  all().blocks.emplace(static_cast<std::byte*>(memory), std::max<size_t>(bytes, 1));
  all().count.store(all().blocks.size());
  return memory;
}

void release_pinned(void* memory) noexcept {
  if (is_unusable_child()) return;
  {
    const std::lock_guard guard(all().lock);
    if (all().blocks.erase(static_cast<std::byte*>(memory)) == 0) return;
    all().count.store(all().blocks.size());
    if (all().graphs > 0) {
      all().kept.push_back(memory);
      return;
    }
  }
  release_all({memory});
}

bool is_pinned(const void* address) {
  if (all().count.load(std::memory_order_relaxed) == 0) return false;
  const std::lock_guard guard(all().lock);
  const auto* const at = static_cast<const std::byte*>(address);
  auto block = all().blocks.upper_bound(at);
  return block != all().blocks.begin() && (--block, at < block->first + block->second);
}

void graph_was_made() {
  const std::lock_guard guard(all().lock);
  ++all().graphs;
}

void graph_is_gone() noexcept {
  if (is_unusable_child()) return;
  std::vector<void*> released;
  {
    const std::lock_guard guard(all().lock);
    if (--all().graphs == 0) released = std::exchange(all().kept, {});
  }
  release_all(released);
}

}  // namespace mt::cuda
