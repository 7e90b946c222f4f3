// Concatenation, splitting and selection for modules with tables of tensors, in Torch7's protocol without a tape.
#pragma once

#include "bindings/lua/state/state.h"
#include "engine/core/tensor.h"

namespace mt::lua {

// The elements of x in the sizes of `like`, which has the same number of elements: a view if x is contiguous.
Tensor in_sizes_of(OpHook* hook, const Tensor& x, const Tensor& like);

// Whether two tensors have the same sizes, except those of 1, in another order: then their elements don't correspond in memory order.
bool is_turned(const Tensor& a, const Tensor& b);

void open_pieces(lua_State* L, State& state);

}  // namespace mt::lua
