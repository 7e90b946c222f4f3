// Room on the C stack. LuaJIT bounds its own stack and not C's, so that functions of ours that call Lua, which calls them again without
// end, must see for themselves that they don't run past it.
#pragma once

#include "bindings/lua/host_lua.h"

namespace mt::lua {

// Raises LuaJIT's "stack overflow" where the thread's stack lacks the room for an op. To be called before a call of Lua that may come back.
void check_c_stack(lua_State* L);

}  // namespace mt::lua
