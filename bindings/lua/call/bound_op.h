// An op as Lua calls it: the orders of arguments it accepts, flattened for a quick match against the kinds of what came.
#pragma once

#include <string>
#include <vector>

#include "bindings/lua/state/host_lua.h"
#include "engine/arguments/match.h"

namespace mt::lua {

struct State;

struct OpRule;

struct BoundOp {
  const Op* op;  // of a composed op: made from its Lua declaration
  State* state;
  bool is_method;
  int forward = LUA_NOREF;  // the Lua function of a composed op
  int dim_param;            // argument "dim" of the signature, or -1: without one given, a scalar op gives a number
  std::vector<Pattern> patterns;
  mutable OpRule* rule = nullptr;  // of the tape, once a call was recorded
};

// An op declared in Lua: its texts, which the declaration points into.
struct ComposedOp {
  std::string name, signature, forms, doc, samples;
  Decl decl;
  Op op;
};

// The op of that name: the engine's, a library's, or one composed in this state; null where there is none.
const Op* find_op(const State& state, std::string_view name);

// The C function of every op. Its closure's upvalues are a BoundOp and the op's name.
int call_op(lua_State* L);
// Adds op, under its name and aliases, to the tables at two stack indices: functions and methods.
void bind_op(lua_State* L, State& state, const Op& op, int functions, int methods, int forward);
void push_op_upvalues(lua_State* L, State& state, const Op& op, bool is_method, int forward);

}  // namespace mt::lua
