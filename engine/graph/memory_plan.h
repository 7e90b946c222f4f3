// Memory plans: where values lie in one block, so that values which are needed at the same time don't overlap.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mt {

// A value that is needed from one step to another one, both included.
struct LiveRange {
  int64_t bytes;
  int32_t first, last;
  bool overlaps(const LiveRange& other) const { return first <= other.last && other.first <= last; }
};

struct MemoryPlan {
  std::vector<int64_t> offsets;  // by value, each a multiple of memory_plan_alignment
  int64_t bytes = 0;             // of the block
};

inline constexpr int64_t memory_plan_alignment = 64;

// The most bytes that are needed at one step: no plan has fewer.
int64_t needed_bytes(std::span<const LiveRange> values);

// Places each value into the first gap among those that are needed at the same time. Returns the best of several orders: largest first, in
// order of time, and in order of time from both ends of needed_bytes(), which fits whenever each value is needed with its neighbours alone.
MemoryPlan plan_memory(std::span<const LiveRange> values);

}  // namespace mt
