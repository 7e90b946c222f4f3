// The `require` for Moontorch's Lua files (lua/torch/modules.lua), which never searches the current folder.
#pragma once

#include <string>

#include "bindings/lua/state/host_lua.h"

namespace mt::lua {

// Runs torch/modules.lua of a folder with Moontorch's Lua files, once per state. May raise a Lua error.
void open_modules(lua_State* L, const char* folder);
// Pushes that `require`; or the program's `require`, if the files are part of the program and none is loaded yet.
void push_require(lua_State* L);
// Requires a module of Moontorch and pushes it.
void push_module(lua_State* L, const char* name);

}  // namespace mt::lua
