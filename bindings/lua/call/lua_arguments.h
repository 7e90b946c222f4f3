// The arguments of a call on Lua's stack, for the matcher and the conversion.
#pragma once

#include <span>

#include "bindings/lua/values/boxes.h"
#include "engine/arguments/match.h"

namespace mt::lua {

struct BoundOp;  // bindings/lua/call/bound_op.h

constexpr int max_args = 24;
constexpr uint16_t any_number = number_kinds | kind_sizes;

// The possible kinds of a value that is neither tensor nor number.
uint16_t kinds_of(lua_State* L, int index);

// The arguments 1 to count: their possible kinds, and the tensors among them.
struct LuaArguments : Unnamed {
  explicit LuaArguments(lua_State* lua) : L(lua) {}

  lua_State* L;
  int given = 0;
  uint16_t kinds[max_args + 1];
  Tensor* tensors[max_args + 1];
  uint8_t devices = 0;  // bitwise or of the tensors' devices: 0 if all are on the CPU

  int count() const { return given; }
  bool fits(int at, const Step& step) const { return (kinds[at] & step.kinds) != 0; }
  bool is_left_out(int at) const { return lua_isnil(L, at); }
  bool is_size(int at) const { return (kinds[at] & kind_int) != 0; }

  // Whether a boolean stands for 1 or 0: after a tensor of booleans.
  bool is_of_booleans(int index) const { return index > 1 && tensors[1] != nullptr && tensors[1]->dtype() == DType::boolean; }

  // Classifies the value at a stack index. This runs for each argument of each call, so it tests for tensors and numbers first.
  void look_at(int index) {
    if (const void* data = lua_touserdata(L, index); data != nullptr && lua_objlen(L, index) >= sizeof(TensorBox)) {
      auto* box = static_cast<TensorBox*>(const_cast<void*>(data));
      if (box->magic == tensor_magic) {
        tensors[index] = &box->tensor;
        devices |= box->tensor.device();
        kinds[index] = box->tensor.dtype() == DType::int64 ? kind_tensor | kind_sizes : kind_tensor;
        return;
      }
    }
    tensors[index] = nullptr;
    kinds[index] = lua_type(L, index) == LUA_TNUMBER ? any_number : kinds_of(L, index);
    if (kinds[index] == kind_boolean && is_of_booleans(index)) kinds[index] |= kind_number;
  }
};

// Whether the arguments fit one of an op's patterns; sets m to their assignment to the signature.
bool find_pattern(std::span<const Pattern> patterns, const LuaArguments& arguments, Match& m);

// Raises the error that the arguments 1 to count fit no form of the op.
[[noreturn]] void refuse(lua_State* L, const BoundOp& bound, int count);

}  // namespace mt::lua
