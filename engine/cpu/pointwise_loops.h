// The CPU's kernel of elementwise ops: one loop a dtype, over runs of elements.
#pragma once

#include "engine/cpu/walk.h"
#include "engine/ops/pointwise.h"

namespace mt::cpu {

// Runs of elements: pointers and byte strides of the result and then the operands. Operands whose bit in `given` is set (bit 0: the
// first operand) point to one value of the type that computes the dtype. The highest bit asks for a result by streaming stores.
using LoopFn = void (*)(std::byte* const* pointers, const Rows& rows, uint32_t given);
inline constexpr uint32_t result_streams = 1u << 31;

struct PointwiseLoops {
  std::array<LoopFn, dtype_count> loops;  // nullptr: the op doesn't take that dtype
};

void run_pointwise(const PointwisePlan& plan, const PointwiseLoops& loops);

}  // namespace mt::cpu
