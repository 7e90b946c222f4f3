// The operands of a formula's pass on Lua's stack, and the tensors for its results, which reuse those of the last pass.
#pragma once

#include "bindings/lua/nn/formula_class.h"

namespace mt::lua {

// Pushes the operands; returns the stack index of the first one. `values`: stack index of the first value for a name; `names`: stack index
// of the formula's names.
int push_operands(lua_State* L, const Formula& formula, int values, int names);

// Checks that the formula supports the input, and that all operands of floats have the same type and device. Returns a tensor with them, or
// null. A backward pass may need no input; then it returns `otherwise`.
const Tensor* kind_of_input(lua_State* L, const Formula& formula, int operands, const Tensor* otherwise = nullptr);

inline bool shares_memory(const Tensor& a, const Tensor& b) { return a.storage() != nullptr && a.storage() == b.storage(); }

// The stack index of the operand, from number `first` on, that shares the memory of a tensor; or 0.
int sharing_operand(lua_State* L, const Formula& formula, int operands, const Tensor& made, size_t first = 1);

bool is_inplace(lua_State* L, const Formula& formula);

// The tensor for a result: the one of the last pass, or a new one. New tensors are created before any op runs, because Lua may raise an
// error when it allocates.
struct Place {
  int at = 0;
  bool fresh = false, given = false;
  Tensor* tensor = nullptr;
};

inline constexpr int any_type = -2;

// The place for a field, whose value is on top of the stack. `kind`: a tensor like the result, if it may be written to the tensor there;
// `type`: the expected dtype, or -1 if unknown; `beside`: a tensor on the device of the result, if known.
Place place_at_top(lua_State* L, State& state, const Tensor* kind, int type = any_type, const Tensor* beside = nullptr);

// Moves a result to its place, unless it was written there. Returns false if its type differs from the tensor there.
bool settle(OpHook* hook, const Place& place, Tensor& made);

// Sets the class of a new tensor, and accounts for its memory. `source`: the stack index of a tensor with which it shares memory, or 0.
void finish(lua_State* L, State& state, const Place& place, int source);

// Sets self[name] to the value at a stack index.
void set_own(lua_State* L, int name, int value);

// Makes the tensor in a place an alias of the one at a stack index.
void alias(lua_State* L, State& state, const Place& place, int source);

// The three steps for results that fields store: find their places, move the results there, and finish the tensors.
void place_kept(lua_State* L, State& state, const Formula& formula, int names, Place* places);
bool settle_kept(OpHook* hook, Formula& formula, const Place* places, Tensor* results);
void finish_kept(lua_State* L, State& state, const Formula& formula, int names, const Place* places);

}  // namespace mt::lua
