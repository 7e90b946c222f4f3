// A fixed list of tensors as userdata. Ops read it without looking at each value of a Lua table, which takes longer than a step of an
// optimiser on a small parameter. Its environment table has the tensors at 1, 2, ..., and keeps them alive.
#pragma once

#include <span>

#include "bindings/lua/values/boxes.h"

namespace mt::lua {

inline constexpr uint64_t tensor_list_magic = 0x6d74'4c69'7374'5f31;

struct TensorList {
  uint64_t magic;
  uint32_t count;     // of the pointers that follow; the rest of the memory is not in use
  bool distinct;      // whether they are known to be different objects
  uint64_t at_epoch;  // of gradients: the tape's gradient_epoch when they were read

  Tensor** tensors() { return reinterpret_cast<Tensor**>(this + 1); }
  std::span<Tensor* const> span() { return {tensors(), count}; }
};

inline TensorList* test_tensor_list(lua_State* L, int index) { return test_box<TensorList>(L, index, tensor_list_magic); }
// Raises an error if the value at a stack index is no list.
TensorList& check_tensor_list(lua_State* L, int index);
// The number of tensors for which a list has memory.
size_t capacity_of(lua_State* L, int index);
// Pushes an empty list with room for `count` tensors; its environment is a new table.
TensorList& push_tensor_list(lua_State* L, size_t count);

}  // namespace mt::lua
