// Graphs as source text of Lua, for code that runs them through torch's functions: the tape records these calls.
#pragma once

#include <string>

#include "engine/graph/graph.h"

namespace mt::lua {

// The text of a chunk that returns a function (inputs...) -> outputs. The chunk's arguments are torch, a table of the constants by
// position, and a function that runs control flow (`replay` of lua/torch/graph_control.lua). Updates, and steps that write to inputs or
// constants, are left out. Raises an error for calls that Lua can't write, such as those with a dtype on a device.
std::string lua_source(const Graph& graph);

}  // namespace mt::lua
