// The recorder: functions that an op's call runs before and after it for the tape.
#pragma once

#include "bindings/lua/call/lua_arguments.h"
#include "bindings/lua/tape/variant.h"

namespace mt::lua {

inline bool any_tracked(const Value* args, int count) {
  for (int i = 0; i < count; ++i) {
    const Value& v = args[i];
    if (v.is_tensor() && v.tensor->tracked()) return true;
    if (v.type == Value::Type::tensors) {
      for (int k = 0; k < v.count; ++k) {
        if (v.tensors[k]->tracked()) return true;
      }
    }
  }
  return false;
}

// Whether the last two arguments are a tracked tensor and the positions that the same op returned as its second result, as in
// torch.sum(torch.max(x, 1)): in Lua, a call as the last argument passes all its results. With the tape, only the values are meant.
inline bool ends_in_positions(lua_State* L, const LuaArguments& given, int count) {
  if (count < 2 || (given.kinds[count] & (kind_tensor | kind_sizes)) != (kind_tensor | kind_sizes)) return false;
  const Tensor *values = given.tensors[count - 1], *positions = given.tensors[count];
  if (values == nullptr || positions == nullptr || !values->tracked()) return false;
  lua_getfenv(L, count - 1);
  lua_rawgeti(L, -1, slot::positions);
  const bool same = lua_rawequal(L, -1, count) != 0;
  lua_pop(L, 2);
  return same;
}

// Pushes a canonical argument for the tape: the caller's value, or the default, counted from 1 as in Lua.
void push_argument(lua_State* L, const State& state, const Param& p, int source, const Value& value);

// Pops the node on top of the stack and attaches it to the tensor at a stack index.
void hang_node(lua_State* L, Tensor& t, int index);

// Called before an op overwrites a tensor that matters to the tape. Pushes two values and returns the stack index of the first: a tensor
// that represents the old value among the arguments, and the base if the tensor is a view, or nil.
int save_overwritten(lua_State* L, State& state, const Op& op, int result_index);

// Creates the nodes of tensors that await one, among the arguments and out arguments of a call.
void adopt_arguments(lua_State* L, State& state, const Signature& signature, const Match& m, const Value* args);
void adopt(lua_State* L, State& state, int index);

// Whether the tensor has floats, which the tape can track, and another object shares their memory.
bool is_shared(const Tensor& t);

// Called before tracked values are written to an untracked tensor whose memory other tensors share: the tape tracks all of them from then
// on, or raises an error.
void follow_shared(lua_State* L, const State& state, int result_index);

// Records a call, and attaches nodes to its results. `overwritten` is the stack index of a result that is also an argument, and `saved` the
// index from save_overwritten; both are 0 if there is none.
void record_call(lua_State* L, const BoundOp& bound, const Match& m, const Value* args, Tensor* const* results, const int* result_index,
                 int overwritten, int saved);

void open_recording(lua_State* L, State& state);
void add_node_makers(lua_State* L, State& state);  // adds functions to the table on top of the stack

}  // namespace mt::lua
