// ONNX files from tables of Lua (lua/onnx/write).
#pragma once

#include "bindings/lua/state/state.h"

namespace mt::lua {

// Adds `write` to the table on top of the stack.
void add_onnx_files(lua_State* L, State& state);

}  // namespace mt::lua
