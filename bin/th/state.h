// What a program that embeds LuaJIT does first with its state.
#pragma once

#include <lua.hpp>

#include "location.h"

namespace th {

/// Opens LuaJIT's libraries, puts the folders of `place` before the search paths, and has the module `trepl.terminal` be the native one.
/// Raises a Lua error where this LuaJIT can't serve.
void prepare_state(lua_State* L, const Location& place);

}  // namespace th
