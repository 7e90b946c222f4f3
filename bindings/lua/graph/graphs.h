// Graphs as objects of Lua (lua/torch/graph.lua), and captures.
#pragma once

#include "bindings/lua/state/state.h"
#include "engine/graph/graph.h"

namespace mt::lua {

void open_graphs(lua_State* L, State& state);

// Pushes {dtype =, sizes =}, or false for null.
void push_value_type(lua_State* L, const ValueType* type);

}  // namespace mt::lua
