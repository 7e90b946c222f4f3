// Guards as objects of Lua (lua/torch/guarded_graph.lua).
#pragma once

#include <vector>

#include "bindings/lua/state/state.h"
#include "engine/graph/guard.h"

namespace mt::lua {

// Adds the functions of guards to the table on top of the stack.
void add_guarded_runs(lua_State* L, State& state);

// Pushes an object without guards, which the caller adds.
std::vector<Guard>& push_guards(lua_State* L);

}  // namespace mt::lua
