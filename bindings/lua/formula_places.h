// What a pass of a formula reads and where its results go: operands on Lua's stack, and the tensors that the last pass left.
#pragma once

#include "bindings/lua/formula_class.h"

namespace mt::lua {

// Pushes the operands; gives the stack index of the first. `values`: that of the first value for a name; `names`: that of the formula's
// names.
int push_operands(lua_State* L, const Formula& formula, int values, int names);

// Whether the input is what the formula takes, and tensors that are to be added to or written beside each other are of one kind. Gives
// the tensor that has it. A backward pass may do without the input, and is given `otherwise` then.
const Tensor* kind_of_input(lua_State* L, const Formula& formula, int operands, const Tensor* otherwise = nullptr);

inline bool shares_memory(const Tensor& a, const Tensor& b) { return a.storage() != nullptr && a.storage() == b.storage(); }

// The operand, of those from `first` on, whose memory a tensor shares, or 0.
int sharing_operand(lua_State* L, const Formula& formula, int operands, const Tensor& made, size_t first = 1);

bool is_inplace(lua_State* L, const Formula& formula);

// The tensor that shall show a result: the one that the last pass left in its place, or a new one. New ones are made before anything runs,
// as Lua may raise an error then.
struct Place {
  int at = 0;
  bool fresh = false, given = false;
  Tensor* tensor = nullptr;
};

inline constexpr int any_type = -2;

// For what is on top of the stack, the value of a field. `kind`: what the result is like, where it may be written into the tensor there;
// `type`: the dtype that it will probably have, -1 where that is not known; `beside`: a tensor where it will be, if one is known.
Place place_at_top(lua_State* L, State& state, const Tensor* kind, int type = any_type, const Tensor* beside = nullptr);

// Moves a result to its place, unless it has been written there. False where it is of another type than what is there.
bool settle(OpHook* hook, const Place& place, Tensor& made);

// What Lua has to know of a tensor in its place. `source`: the stack index of a tensor whose memory it shares, or 0.
void finish(lua_State* L, State& state, const Place& place, int source);

// self[name] = the value at a stack index
void set_own(lua_State* L, int name, int value);

// Lets the tensor in a place, if it may be used, become an alias of the one at a stack index.
void alias(lua_State* L, State& state, const Place& place, int source);

// The places of the results that fields keep; what was made goes there; and what Lua has to know of them.
void place_kept(lua_State* L, State& state, const Formula& formula, int names, Place* places);
bool settle_kept(OpHook* hook, Formula& formula, const Place* places, Tensor* made);
void finish_kept(lua_State* L, State& state, const Formula& formula, int names, const Place* places);

}  // namespace mt::lua
