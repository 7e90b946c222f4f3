// graph:peakMemory and graph:recompute (lua/torch/graph_object.lua).
#pragma once

#include "bindings/lua/state/state.h"

namespace mt::lua {

// Adds these functions to the table on top of the stack.
void add_recomputation(lua_State* L, State& state);

}  // namespace mt::lua
