#include "engine/graph/memory_plan.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace mt {
namespace {

int64_t rounded(int64_t bytes) { return (bytes + memory_plan_alignment - 1) / memory_plan_alignment * memory_plan_alignment; }

struct Gap {
  int64_t begin, end;
};

// The gaps that a value may use between placed ones; the last gap ends at `end`.
std::vector<Gap> gaps_for(std::span<const LiveRange> values, std::span<const int64_t> offsets, std::span<const size_t> placed, size_t value,
                          int64_t end) {
  std::vector<Gap> taken;
  for (const size_t other : placed) {
    if (values[other].overlaps(values[value])) taken.push_back({offsets[other], offsets[other] + rounded(values[other].bytes)});
  }
  std::ranges::sort(taken, {}, &Gap::begin);
  std::vector<Gap> gaps;
  int64_t begin = 0;
  for (const Gap& each : taken) {
    if (each.begin > begin) gaps.push_back({begin, each.begin});
    begin = std::max(begin, each.end);
  }
  if (begin < end) gaps.push_back({begin, end});
  return gaps;
}

MemoryPlan first_fit(std::span<const LiveRange> values, std::span<const size_t> order) {
  MemoryPlan plan{std::vector<int64_t>(values.size()), 0};
  for (size_t i = 0; i < order.size(); ++i) {
    const size_t value = order[i];
    const int64_t bytes = rounded(values[value].bytes);
    const auto gaps = gaps_for(values, plan.offsets, order.first(i), value, INT64_MAX);
    const auto gap = std::ranges::find_if(gaps, [&](const Gap& each) { return each.end - each.begin >= bytes; });
    plan.offsets[value] = gap->begin;
    plan.bytes = std::max(plan.bytes, gap->begin + bytes);
  }
  return plan;
}

// Values lie at the lower and the upper end of a block in turns.
std::optional<MemoryPlan> both_ends(std::span<const LiveRange> values, std::span<const size_t> order, int64_t bytes) {
  MemoryPlan plan{std::vector<int64_t>(values.size()), bytes};
  for (size_t i = 0; i < order.size(); ++i) {
    const size_t value = order[i];
    const int64_t wanted = rounded(values[value].bytes);
    const auto gaps = gaps_for(values, plan.offsets, order.first(i), value, bytes);
    const auto fits = [&](const Gap& each) { return each.end - each.begin >= wanted; };
    if (wanted == 0) continue;
    if (i % 2 == 0) {
      const auto gap = std::ranges::find_if(gaps, fits);
      if (gap == gaps.end()) return std::nullopt;
      plan.offsets[value] = gap->begin;
    } else {
      const auto gap = std::find_if(gaps.rbegin(), gaps.rend(), fits);
      if (gap == gaps.rend()) return std::nullopt;
      plan.offsets[value] = gap->end - wanted;
    }
  }
  return plan;
}

}  // namespace

int64_t needed_bytes(std::span<const LiveRange> values) {
  int64_t most = 0;
  for (const LiveRange& at : values) {  // the need grows only where a value begins
    int64_t bytes = 0;
    for (const LiveRange& each : values) bytes += each.first <= at.first && at.first <= each.last ? rounded(each.bytes) : 0;
    most = std::max(most, bytes);
  }
  return most;
}

MemoryPlan plan_memory(std::span<const LiveRange> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return values[i].first; });
  const int64_t needed = needed_bytes(values);
  if (auto plan = both_ends(values, order, needed)) return *std::move(plan);
  const MemoryPlan in_time = first_fit(values, order);
  std::ranges::stable_sort(order, std::greater(), [&](size_t i) { return values[i].bytes; });
  MemoryPlan by_size = first_fit(values, order);
  return in_time.bytes < by_size.bytes ? in_time : by_size;
}

}  // namespace mt
