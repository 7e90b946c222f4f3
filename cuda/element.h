// The result of a functor (engine/ops) for one element of each operand.
#pragma once

#include "cuda/value.h"
#include "engine/core/decl.h"

namespace mt::cuda {

// The operands are widened; the result is an element of the output.
template <class Op, class T, class... Operands> MT_DEVICE auto element_of(Operands... operands) {
  const auto result = Op()(Value<Compute<T>>(operands)...);
  if constexpr (Op::decl.result == Rule::mask)
    return static_cast<uint8_t>(result.b);
  else
    return narrow<T>(result.v);
}

}  // namespace mt::cuda
