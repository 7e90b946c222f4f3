// The driver of elementwise ops: shapes, dtypes, results and threads; the arithmetic comes as one loop a dtype.
#pragma once

#include "engine/core/iterator.h"
#include "engine/core/registry.h"

namespace mt {

// Runs of elements: pointers and byte strides of the result and then the operands. Operands whose bit in `given` is set (bit 0: the
// first operand) point to one value of the type that computes the dtype. The highest bit asks for a result that is written past the caches.
using LoopFn = void (*)(std::byte* const* pointers, const Rows& rows, uint32_t given);
inline constexpr uint32_t result_past_caches = 1u << 31;

struct PointwiseLoops {
  LoopFn loops[dtype_count];  // nullptr: the op doesn't take that dtype
};

void run_pointwise(Call& call);

}  // namespace mt
