// The native Lua module `trepl.terminal`: system functions for the interactive loop.
#pragma once

#include <lua.hpp>

namespace th {

/// Pushes the module's table; a lua_CFunction for package.preload.
int open_terminal(lua_State* L);

}  // namespace th
