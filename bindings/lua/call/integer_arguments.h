// Whole numbers that a program gives: sizes, positions, dimensions and counts. A fraction is truncated toward zero as in Torch7, with a
// warning, or refused (lua/torch/check/whole.lua).
#pragma once

#include "bindings/lua/state/state.h"
#include "engine/core/arguments.h"

namespace mt::lua {

// The stack indices of the arguments that are being read.
struct Reading {
  int first, last;
};

// Replaces arguments that are fractions, or tables that hold some, by the whole numbers that they stand for. state.message is what the
// engine said of the first: the error that is raised where nothing is truncated.
void truncate_fractions(lua_State* L, State& state, const Reading& reading);

// As guarded(), for f that reads whole numbers and has no effect before it has read them all: where one is a fraction that is truncated, f
// runs again. Lua runs only between these. `reading` returns which arguments f was reading.
template <class Which, class F> void guarded_whole(lua_State* L, State& state, const Which& reading, F&& f) {
  const int top = lua_gettop(L);
  for (;;) {
    bool is_fraction = false;
    guarded(L, state, [&] {
      try {
        f();
      } catch (const FractionError&) {
        keep_message(state);
        is_fraction = true;
      }
    });
    if (!is_fraction) return;
    lua_settop(L, top);
    truncate_fractions(L, state, reading());
  }
}

// The same where the arguments are known.
template <class F> void guarded_whole(lua_State* L, State& state, const Reading& reading, F&& f) {
  guarded_whole(
      L, state, [&] { return reading; }, f);
}

void open_whole(lua_State* L, State& state);

}  // namespace mt::lua
