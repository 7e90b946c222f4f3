// The recorder: what the tape is told of a call, and what it is asked before one.
#pragma once

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

// Whether the last two arguments are a tracked tensor and the positions that the op which made it gave beside it, as in
// torch.sum(torch.max(x, 1)): in Lua, a call in the last place passes on all that it gives. On the tape the values alone are meant.
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

// Pushes canonical argument i as the tape sees it: what the caller gave, or the default in Lua's counting.
void push_argument(lua_State* L, const State& state, const Param& p, int source, const Value& value);

// Makes a tensor carry the node on top of the stack, which is taken away.
void hang_node(lua_State* L, Tensor& t, int index);

// A result that the op overwrites while the tape watches: what the record needs of it. Two values stay on the stack, of which this is the
// first one's index: what stands for the old tensor among the arguments, and what the tensor is a view of, or nil.
int save_overwritten(lua_State* L, State& state, const Op& op, int result_index);

// Gives tensors that await a node theirs: tracked arguments of a call, and results that were given.
void adopt_arguments(lua_State* L, State& state, const Signature& signature, const Match& m, const Value* args);
void adopt(lua_State* L, State& state, int index);

// Whether the tensor has floats, which the tape may follow, and another object holds their memory, too.
bool is_shared(const Tensor& t);

// Tracked values are about to be written to an untracked tensor whose memory others share: the tape follows them all from here on, or
// refuses.
void follow_shared(lua_State* L, const State& state, int result_index);

// Records a call: its results get their nodes. `overwritten` is the stack index of the result that is an argument, too, and `saved` of what
// save_overwritten left, both 0 where there is none.
void record_call(lua_State* L, const BoundOp& bound, const Match& m, const Value* args, Tensor* const* results, const int* result_index,
                 int overwritten, int saved);

void open_recording(lua_State* L, State& state);
void add_node_makers(lua_State* L, State& state);  // to the table on top of the stack

}  // namespace mt::lua
