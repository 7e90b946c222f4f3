// Calls with a tracked tensor of one element instead of a number.
#pragma once

#include "bindings/lua/state/host_lua.h"
#include "engine/core/tensor.h"

namespace mt::lua {

struct BoundOp;  // bindings/lua/call/bound_op.h

// Whether a tensor is a tracked number: ops with one element as their result return such a tensor if its gradient may be needed.
inline bool is_tracked_number(const Tensor* t) { return t != nullptr && t->tracked() && t->dim() == 1 && t->size(0) == 1; }

// Passes a call with a tracked number that fits no form to Lua (lua/autograd/scalars.lua). The stack holds the arguments 1 to count.
// Returns true with the result on top, or false with the stack unchanged.
bool call_with_tracked_number(lua_State* L, const BoundOp& bound, int count);

}  // namespace mt::lua
