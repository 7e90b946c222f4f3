// Mixed precision: while it is on, ops get arguments in the types that their declarations, or a program, set (lua/torch/autocast.lua).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "bindings/lua/state/host_lua.h"
#include "engine/core/decl.h"

namespace mt {
struct Match;  // engine/arguments/match.h
struct Value;  // engine/core/registry.h
}  // namespace mt

namespace mt::lua {

struct BoundOp;  // bindings/lua/call/bound_op.h
struct State;

struct Autocast {
  bool active = false;  // whether ops get their arguments in the types of their precisions
  bool used = false;    // whether it was active before
  DType low = DType::bfloat16;
  struct NameHash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, Precision, NameHash, std::equal_to<>> assigned;  // by op; overrides its declaration
  int casts = LUA_NOREF;  // weak table: parameter -> {its value in another type, its version at the conversion}
};

// Replaces an op's arguments that are floats of 16 or 32 bits by tensors of the type of its precision. The new tensors are on the stack,
// and recorded on the tape. The arguments of a call with an out argument don't change.
void cast_arguments(lua_State* L, const BoundOp& bound, Match& m, Value* args);

// The precision of an op. If a composed op has a precision, its inner ops run with autocast off.
Precision precision_of(const Autocast& autocast, const Decl& decl);

void open_autocast(lua_State* L, State& state);

}  // namespace mt::lua
