// How nodes are made: what the parts of the recorder have in common.
#pragma once

#include "bindings/lua/tape/recording.h"

namespace mt::lua {

// A call as the recorder sees it.
struct Recorded {
  const Param* params = nullptr;  // of the op's signature, with their values; null where Lua calls
  const Value* args = nullptr;
  int count = 0, results = 0;
  int at[Signature::max_params];           // stack index of each argument, 0 where it was left out
  Tensor* tensors[Signature::max_params];  // the argument, if it is one
  int result_at[Signature::max_results];
  Tensor* result[Signature::max_results];

  bool is_list(lua_State* L, int i) const {
    if (tensors[i] != nullptr || at[i] == 0) return false;
    return args != nullptr ? args[i].type == Value::Type::tensors : lua_istable(L, at[i]) != 0;
  }
};

// Calls f with the position and the tensor of each element of the list at a stack index that is one, and with its stack index.
template <class F> void each_tensor(lua_State* L, int list, F&& f) {
  const auto count = static_cast<int>(lua_objlen(L, list));
  for (int k = 1; k <= count; ++k) {
    lua_rawgeti(L, list, k);
    if (Tensor* t = test_tensor(L, -1)) f(k, *t, lua_gettop(L));
    lua_pop(L, 1);
  }
}

// Gives the tracked tensor at a stack index the node that it should have by now.
void bring_up_to_date(lua_State* L, State& state, const Tensor& t, int index);

// Pushes a new node without a number, which it takes when all its inputs have theirs.
int push_blank(lua_State* L, const Variant& variant, int last_slot);
void number_node(lua_State* L, State& state, int node);
// Puts a node of one of the tape's own ops, with one edge, in the place of the node on top of the stack.
int insert_node(lua_State* L, State& state, OpRule& rule);
// What a node keeps of the value on top of the stack, which may be a tensor, takes its place. True with its version on top, if it has one.
bool keep_value(lua_State* L, State& state, Keep keep, const Tensor* t);
// Pushes an argument as Lua gave it, or would give it.
void push_given(lua_State* L, const State& state, const Recorded& call, int i);
// Pushes the node of a call with these tracked arguments.
int push_call_node(lua_State* L, State& state, const OpRule& rule, const Variant& variant, const Recorded& call, uint32_t mask);

// Hangs the node of one of several results on it. They hand their gradients to the op's node.
void attach_one(lua_State* L, State& state, int node, int position, Tensor& t, int result, int positions, int view);

// Records a call. `written` is the result that is overwritten, by its stack index, and what it is a view of at `view`; 0 where there is
// none.
void record(lua_State* L, State& state, OpRule& rule, const Recorded& call, int written, int view);

}  // namespace mt::lua
