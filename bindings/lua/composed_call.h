// Calls of ops that are declared in Lua and made of others.
#pragma once

#include "bindings/lua/match.h"

namespace mt::lua {

// The op's Lua function gets the canonical arguments; a given result receives a copy of what it returns. Returns the number of results.
int call_composed(lua_State* L, const BoundOp& bound, const Match& m, const Value* args);

}  // namespace mt::lua
