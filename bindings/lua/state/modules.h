// The `require` of Moontorch's own Lua files (lua/torch/modules.lua), which never looks in the current folder.
#pragma once

#include <string>

#include "bindings/lua/state/host_lua.h"

namespace mt::lua {

// Runs torch/modules.lua of a folder that holds Moontorch's Lua files; nothing in a state where that has been done. May raise a Lua error.
void open_modules(lua_State* L, const char* folder);
// Pushes that `require`; where the files are part of the program, and none of them has been loaded, the program's.
void push_require(lua_State* L);
// Requires a module of Moontorch's and pushes it.
void push_module(lua_State* L, const char* name);

}  // namespace mt::lua
