// What the methods of a class that is a formula share (formula.cpp): the arguments, what belongs to the class, and the steps of a call.
#pragma once

#include "bindings/lua/formula.h"
#include "bindings/lua/tape/native_tape.h"

namespace mt::lua {

inline constexpr int self_at = 1, input_at = 2, gradient_at = 3, target_at = 3;  // the target is a criterion's

// Entries of the table that the methods of a class share, as their second upvalue.
enum Entry {
  text_entry = 1,    // the formula, or false
  choose_entry,      // choose(self, input) gives it, and values for its names
  prepare_entry,     // prepare(self, input), before a forward
  resized_entry,     // resized(self, input), after a forward whose output has other sizes than the last one's
  compute_entry,     // the class's compute: a subclass with another goes the general way
  general_forward,   // forward(self, input) of the general way
  general_backward,  // backward(self, input, gradOutput, byInput, scale)
  cache_entry,       // numbers of formulas by their text
  compile_entry,     // compile(text)
  output_name,
  gradient_name,
  compute_name,
  inplace_name,
  update_name,
  accumulate_name,
  update_method,
  accumulate_method,  // the class's own
  replaced_entry,     // what a call on the tape left in a field -> what it replaced
  casts_entry,        // casts(self, whether forward): whether the call's ops get, or got, arguments by autocast
};

inline void push_entry(lua_State* L, int entry) { lua_rawgeti(L, lua_upvalueindex(2), entry); }

// Pushes self[name], whose name is such an entry.
inline void push_own(lua_State* L, int name_entry) {
  push_entry(L, name_entry);
  lua_gettable(L, self_at);
}

// The formula of a call, null where it goes the general way; `last` is the stack index of the last argument that it goes by. Values for its
// names follow on the stack. (formula_reader.cpp)
Formula* choose_formula(lua_State* L, State& state, int last);

struct Wanted {
  bool by_input, by_parameters;
  double scale = 1;
  bool of_loss = false;  // a criterion's: its gradient is 1
};

// What follows gives false where the call goes the general way, and nothing has happened. `values`: the stack index of the first value for
// a name. (formula_pass.cpp)
bool run_forward(lua_State* L, State& state, Formula& formula, int values);  // then the output is on top of the stack,
bool run_loss(lua_State* L, State& state, Formula& formula, int values);     // the loss, a number,
bool run_backward(lua_State* L, State& state, const Formula& formula, int values, Wanted wanted);  // and gradInput

}  // namespace mt::lua
