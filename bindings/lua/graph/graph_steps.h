// Graphs as tables of Lua, for code that translates their steps.
#pragma once

#include "bindings/lua/state/state.h"

namespace mt::lua {

// Adds `typed` and `steps` to the table on top of the stack.
void add_graph_steps(lua_State* L, State& state);

}  // namespace mt::lua
