// What the declarations of ops say, for Lua.
#pragma once

#include "bindings/lua/state/state.h"

namespace mt::lua {

void open_op_info(lua_State* L, State& state);  // opInfo and paramsOf, in the table on top of the stack

}  // namespace mt::lua
