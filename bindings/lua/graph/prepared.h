// Prepared runs as objects of Lua (lua/torch/prepared.lua).
#pragma once

#include <memory>
#include <vector>

#include "bindings/lua/state/state.h"
#include "engine/graph/executor.h"

namespace mt::lua {

// Adds the functions of prepared runs to the table on top of the stack.
void add_prepared_runs(lua_State* L, State& state);

// The executor of the graph at a stack index; raises a Lua error if there is none. (graphs.cpp)
const std::shared_ptr<const Executor>& check_executor(lua_State* L, int index);

// Pushes a graph. (graphs.cpp)
void push_executor(lua_State* L, std::shared_ptr<const Executor> executor);

// The inputs of a run, from the stack index 2 on. (graphs.cpp)
std::vector<Value> read_inputs(lua_State* L, State& state, const Graph& graph, int given);

}  // namespace mt::lua
