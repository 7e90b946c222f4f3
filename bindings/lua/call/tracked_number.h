// Calls with a tracked tensor of one element in the place of a number.
#pragma once

#include "bindings/lua/state/host_lua.h"
#include "engine/core/tensor.h"

namespace mt::lua {

struct BoundOp;  // bindings/lua/call/bound_op.h

// Whether a tensor is the tape's number: an op with one element as its result returns such a tensor where its gradient may be wanted.
inline bool is_tracked_number(const Tensor* t) { return t != nullptr && t->tracked() && t->dim() == 1 && t->size(0) == 1; }

// Has Lua do a call with a tracked number where none fits (lua/autograd/scalars.lua). The stack holds the arguments 1 to count; true with
// the result on top, false with the stack as it was.
bool call_with_tracked_number(lua_State* L, const BoundOp& bound, int count);

}  // namespace mt::lua
