// Graphs as objects of Lua (lua/torch/graph.lua), and captures.
#pragma once

#include "bindings/lua/state/state.h"

namespace mt::lua {

void open_graphs(lua_State* L, State& state);

}  // namespace mt::lua
