// An op for calls from Lua: the orders of arguments that it accepts, flattened for a fast match with the kinds of the actual arguments.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "bindings/lua/state/host_lua.h"
#include "engine/arguments/match.h"

namespace mt::lua {

struct State;

struct OpRule;

struct BoundOp {
  const Op* op;  // for a composed op: the one of its Lua declaration
  State* state;
  bool is_method;
  int forward = LUA_NOREF;  // the Lua function of a composed op
  int dim_param;            // argument "dim" of the signature, or -1; a scalar op called without it returns a number
  std::vector<Pattern> patterns;
  mutable OpRule* rule = nullptr;  // of the tape; set when the first call is recorded
};

// An op declared in Lua, with the texts that its declaration points to.
struct ComposedOp {
  std::string name, signature, forms, doc, samples;
  Decl decl;
  Op op;
};

// The ops of one state.
struct BoundOps {
  std::deque<BoundOp> bound;        // their addresses are in closures
  std::deque<ComposedOp> composed;  // ops declared in Lua

  // The bound op with the address in a closure's upvalue, or null.
  const BoundOp* find(const void* upvalue) const;
};

// The op with that name: the engine's, a library's, or one composed in this state; null if there is none.
const Op* find_op(const State& state, std::string_view name);

// The C function of all ops. The upvalues of its closure are a BoundOp and the op's name.
int call_op(lua_State* L);
// Adds op, under its name and aliases, to the tables at two stack indices: functions and methods.
void bind_op(lua_State* L, State& state, const Op& op, int functions, int methods, int forward);
void push_op_upvalues(lua_State* L, State& state, const Op& op, bool is_method, int forward);

}  // namespace mt::lua
