// Declarations of ops as Lua values.
#pragma once

#include "bindings/lua/state/state.h"

namespace mt::lua {

void open_op_info(lua_State* L, State& state);  // adds opInfo and paramsOf to the table on top of the stack

}  // namespace mt::lua
