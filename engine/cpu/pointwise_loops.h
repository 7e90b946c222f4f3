// The CPU's kernel of elementwise ops: one loop per dtype, over runs of elements.
#pragma once

#include "engine/cpu/iterate.h"
#include "engine/ops/pointwise.h"

namespace mt::cpu {

// Runs of elements: pointers and byte strides of the result and then of the operands. Operands whose bit in `given` is set (bit 0: the
// first operand) point to one value of the type of the computation. The highest bit requests streaming stores to the result.
using LoopFn = void (*)(std::byte* const* pointers, const Rows& rows, uint32_t given);
inline constexpr uint32_t result_streams = 1u << 31;

struct PointwiseLoops {
  std::array<LoopFn, dtype_count> loops;  // nullptr: the op doesn't accept this dtype
};

void run_pointwise(const PointwisePlan& plan, const PointwiseLoops& loops);

}  // namespace mt::cpu
