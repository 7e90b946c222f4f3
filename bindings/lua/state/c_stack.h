// Checks for space on the C stack and on Lua's stack. LuaJIT limits only its own stack, so C functions that call Lua must themselves detect
// a recursion that would overflow the C stack.
#pragma once

#include "bindings/lua/state/host_lua.h"

namespace mt::lua {

// Raises LuaJIT's "stack overflow" if the thread's stack has no space for an op. Call this before calls of Lua that may recurse.
void check_c_stack(lua_State* L);

// Raises the same error if Lua's stack has no space for the frames that an exit from a compiled recursion restores: without space, such an
// exit ends the process (LuaJIT 2.1.0~beta3+git20220320). For functions that are part of recursions of Lua code.
void check_lua_stack(lua_State* L);

}  // namespace mt::lua
