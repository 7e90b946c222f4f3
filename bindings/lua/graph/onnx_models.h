// ONNX models as objects of Lua (lua/onnx).
#pragma once

#include "bindings/lua/state/state.h"

namespace mt::lua {

// Adds the functions of ONNX models to the table on top of the stack.
void add_onnx_models(lua_State* L, State& state);

}  // namespace mt::lua
