// Mixed precision: while it is on, ops get arguments of the types that lists of their names say (lua/torch/autocast.lua).
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "bindings/lua/match.h"

namespace mt::lua {

// What an op computes in: the low precision, float32, or the widest type among its arguments.
enum class Precision : uint8_t { low, float32, widest };

struct Autocast {
  DType low = DType::bfloat16;
  struct NameHash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, Precision, NameHash, std::equal_to<>> lists;  // by op; others take what comes
  int casts = LUA_NOREF;  // parameter -> {its value in another type, its version then}; the keys are weak
};

// Puts tensors of the type that the op's list says into the place of its arguments, where those are floats of 16 or 32 bits. The new ones
// lie on the stack; the tape knows what they were made of. A call with a result that is given takes what comes.
void cast_arguments(lua_State* L, const BoundOp& bound, Match& m, Value* args);

// Whether an op is on a list: what it is made of runs with autocast off then.
bool is_listed(const State& state, const BoundOp& bound);

void open_autocast(lua_State* L, State& state);

}  // namespace mt::lua
