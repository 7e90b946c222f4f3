// Calls of composed ops.
#pragma once

#include "bindings/lua/call/lua_arguments.h"

namespace mt::lua {

// Calls the op's Lua function with the canonical arguments; copies its results to out arguments. Returns the number of results.
int call_composed(lua_State* L, const BoundOp& bound, const Match& m, const Value* args);

// Passes a call whose arguments, 1 to count, fit no form of the op to Lua (lua/torch/names/several_dims.lua). Returns the number of results
// on the stack: 0 if Lua has no form for them, either.
int call_other_form(lua_State* L, const BoundOp& bound, int count);

// setOtherForms(f): f(op, whether it is called as a method, arguments...) runs such a call and returns its results, or nothing
int set_other_forms(lua_State* L);

}  // namespace mt::lua
