#include "engine/cpu/pointwise_loops.h"

#include <algorithm>

#include "engine/cpu/streaming.h"

namespace mt::cpu {
namespace {

constexpr int max_pointers = Signature::max_params + 1;

bool outgrows(const PointwisePlan& plan) { return outgrows_caches(plan.n, std::max(size_of(plan.result_dtype), size_of(plan.dtype))); }

// No streaming stores to results that share an operand's memory: that is already in the caches.
uint32_t streaming(const PointwisePlan& plan, std::byte* const* pointers) {
  if (!outgrows(plan)) return 0;
  for (int i = 0; i < plan.count; ++i) {
    if ((plan.scalars >> i & 1) == 0 && pointers[i + 1] == pointers[0]) return 0;
  }
  return result_streams;
}

void run_large(const PointwisePlan& plan, LoopFn loop) {
  const uint32_t given = plan.scalars | streaming(plan, plan.pointers.data());
  parallel_alternating(plan.n, pointwise_grain, [&](int64_t begin, int64_t end) {
    std::byte* part[max_pointers];
    for (int k = 0; k <= plan.count; ++k) part[k] = plan.pointers[k] + begin * plan.strides[k];
    loop(part, {end - begin, 1, plan.strides, plan.strides}, given);
  });
}

void run_strided(const PointwisePlan& plan, LoopFn loop) {
  const Geometry& it = plan.geometry;
  std::byte* bases[max_pointers];
  for (int k = 0; k <= plan.count; ++k) bases[k] = it.data(k);
  const auto inner = [&, given = plan.scalars | streaming(plan, bases)](std::byte** pointers, const Rows& rows) {
    loop(pointers, rows, given);
  };
  if (!plan.in_order) return parallel_iterate_rows(it, inner);
  for (int64_t i = 0; i < it.numel(); ++i) iterate_rows(it, i, i + 1, inner);
}

}  // namespace

void run_pointwise(const PointwisePlan& plan, const PointwiseLoops& loops) {
  const LoopFn loop = loops.loops[static_cast<size_t>(plan.dtype)];
  if (plan.geometry) return run_strided(plan, loop);
  if (plan.n > pointwise_grain) return run_large(plan, loop);
  loop(plan.pointers.data(), {plan.n, 1, plan.strides, plan.strides}, plan.scalars);
}

}  // namespace mt::cpu
