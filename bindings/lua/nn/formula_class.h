// Shared definitions for the methods of formula classes (formula.cpp): the arguments, data of the class, and the steps of a call.
#pragma once

#include "bindings/lua/nn/formula.h"

namespace mt::lua {

inline constexpr int self_at = 1, input_at = 2, gradient_at = 3, target_at = 3;  // the target of a criterion

// Entries of the table that the methods of a class share as their second upvalue.
enum Entry {
  text_entry = 1,    // the formula, or false
  choose_entry,      // choose(self, input) returns it, and values for its names
  prepare_entry,     // prepare(self, input), before a forward
  resized_entry,     // resized(self, input), after a forward whose output has other sizes than the last one
  compute_entry,     // the class's compute: a subclass with another one uses the fallback
  general_forward,   // forward(self, input) of the fallback
  general_backward,  // backward(self, input, gradOutput, byInput, scale) of it
  cache_entry,       // formula text -> its number
  compile_entry,     // compile(text)
  output_name,
  gradient_name,
  compute_name,
  inplace_name,
  update_name,
  accumulate_name,
  update_method,
  accumulate_method,  // of the class
  replaced_entry,     // a tensor that a call on the tape stored in a field -> the tensor that it replaced
  casts_entry,        // casts(self, whether forward): whether autocast applies to the call, or did in its forward
};

inline void push_entry(lua_State* L, int entry) { lua_rawgeti(L, lua_upvalueindex(2), entry); }

// Pushes self[name]; the name is the entry `name_entry`.
inline void push_own(lua_State* L, int name_entry) {
  push_entry(L, name_entry);
  lua_gettable(L, self_at);
}

// The formula of a call, or null for the fallback; `last` is the stack index of the last argument that selects it. Pushes values for its
// names. (formula_reader.cpp)
Formula* choose_formula(lua_State* L, State& state, int last);

struct Wanted {
  bool by_input, by_parameters;
  double scale = 1;
  bool of_loss = false;  // backward of a criterion: the gradient of its loss is 1
};

// These functions return false, without effects, if the call needs the fallback. `values`: the stack index of the first value for a name.
// On success they push the result. (formula_pass.cpp)
bool run_forward(lua_State* L, State& state, Formula& formula, int values);                        // the output
bool run_loss(lua_State* L, State& state, Formula& formula, int values);                           // the loss, a number
bool run_backward(lua_State* L, State& state, const Formula& formula, int values, Wanted wanted);  // gradInput

}  // namespace mt::lua
