// Room on the C stack, and on Lua's. LuaJIT bounds its own stack and not C's, so that functions of ours that call Lua, which calls them
// again without end, must see for themselves that they don't run past it.
#pragma once

#include "bindings/lua/state/host_lua.h"

namespace mt::lua {

// Raises LuaJIT's "stack overflow" where the thread's stack lacks the room for an op. To be called before a call of Lua that may come back.
void check_c_stack(lua_State* L);

// Raises the same where Lua's stack lacks the room for what a compiled recursion holds when it is left: an exit that finds none ends the
// process (LuaJIT 2.1.0~beta3+git20220320). For functions that such a recursion of Lua code passes through.
void check_lua_stack(lua_State* L);

}  // namespace mt::lua
