// The Lua module `trepl.terminal`, native: what the interactive loop needs from the system.
#pragma once

#include <lua.hpp>

namespace th {

/// Pushes the module's table; a lua_CFunction for package.preload.
int open_terminal(lua_State* L);

}  // namespace th
