// Mixed precision: while it is on, ops get arguments of the types that their declarations say, or a program (lua/torch/autocast.lua).
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "bindings/lua/call/lua_arguments.h"

namespace mt::lua {

struct Autocast {
  DType low = DType::bfloat16;
  struct NameHash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, Precision, NameHash, std::equal_to<>> assigned;  // by op, in the place of what its declaration says
  int casts = LUA_NOREF;  // parameter -> {its value in another type, its version then}; the keys are weak
};

// Replaces an op's arguments by tensors of the type of its precision, where they are floats of 16 or 32 bits. The new ones are on the
// stack, and recorded on the tape. A call that writes into a tensor of the caller's takes arguments as they are.
void cast_arguments(lua_State* L, const BoundOp& bound, Match& m, Value* args);

// The precision of an op. Where a composed op has one, the ops inside run with autocast off.
Precision precision_of(const Autocast& autocast, const Decl& decl);

void open_autocast(lua_State* L, State& state);

}  // namespace mt::lua
