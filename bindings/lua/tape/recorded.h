// Creation of nodes: shared functions of the recorder.
#pragma once

#include "bindings/lua/tape/recording.h"
#include "bindings/lua/values/boxes.h"

namespace mt::lua {

// A call, for the recorder.
struct Recorded {
  const Param* params = nullptr;  // of the op's signature, with their values; null for calls of record() in Lua
  const Value* args = nullptr;
  int count = 0, results = 0;
  int at[Signature::max_params];           // stack index of each argument; 0: left out
  Tensor* tensors[Signature::max_params];  // the argument if it is a tensor, else null
  int result_at[Signature::max_results];
  Tensor* result[Signature::max_results];

  bool is_list(lua_State* L, int i) const {
    if (tensors[i] != nullptr || at[i] == 0) return false;
    return args != nullptr ? args[i].type == Value::Type::tensors : lua_istable(L, at[i]) != 0;
  }
};

// Calls f with the position, the tensor and its stack index, for each element that is a tensor in the list at a stack index.
template <class F> void each_tensor(lua_State* L, int list, F&& f) {
  if (!lua_istable(L, list)) return;  // a TensorList, which only ops accept that are not recorded
  const auto count = static_cast<int>(lua_objlen(L, list));
  for (int k = 1; k <= count; ++k) {
    lua_rawgeti(L, list, k);
    if (Tensor* t = test_tensor(L, -1)) f(k, *t, lua_gettop(L));
    lua_pop(L, 1);
  }
}

// Brings the node of the tracked tensor at a stack index up to date, if its base was written to.
void bring_up_to_date(lua_State* L, State& state, const Tensor& t, int index);

// Pushes a new node. number_node sets its number, after all its inputs have numbers.
int push_blank(lua_State* L, const Variant& variant, int last_slot);
void number_node(lua_State* L, State& state, int node);
// Replaces the node on top of the stack by a new node with one edge, to that node, for one of the tape's internal ops.
int insert_node(lua_State* L, State& state, OpRule& rule);
// Replaces the value on top of the stack, t if not null, by the part to save. If that has a version, pushes it and returns true.
bool keep_value(lua_State* L, State& state, Keep keep, const Tensor* t);
// Pushes argument i as a value of Lua.
void push_given(lua_State* L, const State& state, const Recorded& call, int i);
// Pushes the node of a call; `mask` has its tracked arguments.
int push_call_node(lua_State* L, State& state, const OpRule& rule, const Variant& variant, const Recorded& call, uint32_t mask);

// Creates the node of one of several results, which passes its gradient to the op's node, and attaches it to the result.
void attach_one(lua_State* L, State& state, int node, int position, Tensor& t, int result, int positions, int view);

// Records a call. `written` is the stack index of an overwritten result, and `view` that of the base if it is a view; both are 0 if there
// is none.
void record(lua_State* L, State& state, OpRule& rule, const Recorded& call, int written, int view);

}  // namespace mt::lua
