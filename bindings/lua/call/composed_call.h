// Calls of ops that are declared in Lua and made of others.
#pragma once

#include "bindings/lua/call/lua_arguments.h"

namespace mt::lua {

// The op's Lua function gets the canonical arguments; a given result receives a copy of what it returns. Returns the number of results.
int call_composed(lua_State* L, const BoundOp& bound, const Match& m, const Value* args);

// Has Lua do a call whose arguments, 1 to count, fit no form of the op (lua/torch/names/several_dims.lua). Returns the number of results,
// which are on the stack: 0 where Lua has no form for them, either.
int call_other_form(lua_State* L, const BoundOp& bound, int count);

// setOtherForms(f): f(op, arguments...) does such a call -> its results, or nothing
int set_other_forms(lua_State* L);

}  // namespace mt::lua
