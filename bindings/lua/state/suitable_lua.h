// Checks that a Lua state can use the library.
#pragma once

#include "bindings/lua/state/host_lua.h"

namespace mt::lua {

/// Raises an error, one sentence, unless the state is of LuaJIT 2.1 with FFI and GC64. Call this before any other function of Lua, because
/// other Lua versions have functions of the same names with other parameters. `caller` is code of the calling Lua. Returns false if the
/// library finds no Lua, so that it can't raise an error: the program has a Lua, but doesn't export its functions.
[[nodiscard]] bool need_suitable_lua(lua_State* L, const void* caller);

}  // namespace mt::lua
