// What a program that embeds LuaJIT does first with its state.
#pragma once

#include <lua.hpp>

#include "location.h"

namespace th {

/// How the program was started.
struct Start {
  int argc;
  char** argv;
  Location place;
};

/// Opens LuaJIT's libraries, puts the folders of `place` before the search paths, and has the module `trepl.terminal` be the native one.
/// Raises a Lua error where this LuaJIT can't serve.
void prepare_state(lua_State* L, const Location& place);

/// Pushes the `require` of Moontorch's own files.
void push_require(lua_State* L);

/// Prepares the state, and pushes the function `run` of a Lua module and the program's words as a table, from 0 on.
void push_command(lua_State* L, const Start& start, const char* module);

}  // namespace th
