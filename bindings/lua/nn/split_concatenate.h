// Tensors in tables: what modules that join, cut and take apart do with them in Torch7's protocol, without a tape.
#pragma once

#include "bindings/lua/state/state.h"

namespace mt::lua {

// The same elements in the sizes of another tensor, which has as many: a view where x is contiguous.
Tensor in_sizes_of(OpHook* hook, const Tensor& x, const Tensor& like);

// Whether two tensors have the same sizes in another order, apart from those that are 1: the elements of a transposed one pair up wrongly.
bool is_turned(const Tensor& a, const Tensor& b);

void open_pieces(lua_State* L, State& state);

}  // namespace mt::lua
