// Initialisation of the Lua state of a program that embeds LuaJIT.
#pragma once

#include <lua.hpp>

#include "location.h"

namespace th {

/// The arguments and location of the program.
struct Start {
  int argc;
  char** argv;
  Location place;
};

/// Opens LuaJIT's libraries, prepends the folders of `place` to the search paths, and registers the native module `trepl.terminal`.
/// Raises a Lua error if this LuaJIT is not suitable.
void prepare_state(lua_State* L, const Location& place);

/// Pushes the `require` of Moontorch's files.
void push_require(lua_State* L);

/// Prepares the state, and pushes the function `run` of a Lua module and a table of the program's arguments, from 0 on.
void push_command(lua_State* L, const Start& start, const char* module);

}  // namespace th
