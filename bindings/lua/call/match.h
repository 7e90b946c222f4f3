// Lua arguments against the orders of arguments that an op accepts.
#pragma once

#include "bindings/lua/state/state.h"

namespace mt::lua {

constexpr int max_args = 24;
constexpr uint16_t any_number = kind_number | kind_int | kind_index | kind_dim | kind_sizes;

// The arguments of a call as they lie on the stack: what each may be taken for, and the tensor that it is.
struct Arguments {
  uint16_t kinds[max_args + 1];
  Tensor* tensors[max_args + 1];
  uint8_t devices = 0;  // of the tensors, or'ed: 0 when all are on the CPU
};

// Where each argument of the signature, and each result, comes from.
struct Match {
  int8_t args[Signature::max_params];      // stack index, 0 when left out
  int8_t results[Signature::max_results];  // likewise
  int last_of_sizes;                       // numbers given one by one as sizes end here
};

// What the value at a stack index, no tensor and no number, may be taken for.
uint16_t kinds_of(lua_State* L, int index);

// This runs for every argument of every call: tensors and numbers first.
inline void look_at(lua_State* L, int index, Arguments& given) {
  if (const void* data = lua_touserdata(L, index); data != nullptr && lua_objlen(L, index) >= sizeof(TensorBox)) {
    auto* box = static_cast<TensorBox*>(const_cast<void*>(data));
    if (box->magic == tensor_magic) {
      given.tensors[index] = &box->tensor;
      given.devices |= box->tensor.device();
      given.kinds[index] = box->tensor.dtype() == DType::int64 ? kind_tensor | kind_sizes : kind_tensor;
      return;
    }
  }
  given.tensors[index] = nullptr;
  given.kinds[index] = lua_type(L, index) == LUA_TNUMBER ? any_number : kinds_of(L, index);
}

// Whether the arguments 1 to count fit the pattern; then m says which is which.
bool match(lua_State* L, const Pattern& pattern, const uint16_t* kinds, int count, Match& m);

// Raises that the arguments 1 to count fit no form of the op, with what came and what was expected.
[[noreturn]] void refuse(lua_State* L, const BoundOp& bound, int count);

}  // namespace mt::lua
