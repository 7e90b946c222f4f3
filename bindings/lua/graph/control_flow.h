// Control flow of Lua programs inside captures (lua/torch/graph_control.lua).
#pragma once

#include <memory>
#include <string>

#include "bindings/lua/state/state.h"
#include "engine/graph/capture.h"
#include "engine/graph/executor.h"

namespace mt::lua {

// Adds the functions of control flow to the table on top of the stack.
void add_control_flow(lua_State* L, State& state);

// The graph at a stack index, or null. (graphs.cpp)
const std::shared_ptr<const Executor>* test_executor(lua_State* L, int index);

// Pushes an object of a graph, and returns the pointer to set. (graphs.cpp)
std::shared_ptr<const Executor>& push_new_executor(lua_State* L);

// Returns the running line of the program: that outside of Moontorch's own files, whose folder `home` names. (graphs.cpp)
Capture::Origin line_reader(lua_State* L, std::string home);

}  // namespace mt::lua
