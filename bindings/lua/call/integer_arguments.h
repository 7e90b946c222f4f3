// Integer arguments of a program: sizes, positions, dimensions and counts. A fraction is truncated toward zero, as in Torch7, with a
// warning, or refused (lua/torch/check/whole.lua).
#pragma once

#include "bindings/lua/state/guarded.h"
#include "engine/core/arguments.h"

namespace mt::lua {

// The range of stack indices of the argument that is being read.
struct Reading {
  int first, last;
};

// Replaces arguments that are fractions, or tables with fractions, by their truncated values. state.errors.message is the engine's error
// for the first one; it is raised if nothing is truncated.
void truncate_fractions(lua_State* L, State& state, const Reading& reading);

// Like guarded(), for an f that reads integers and has no effect before it has read all of them: after a fraction is truncated, f runs
// again. Lua runs only between these runs. `reading` returns the arguments that f was reading.
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

// The same for known arguments.
template <class F> void guarded_whole(lua_State* L, State& state, const Reading& reading, F&& f) {
  guarded_whole(
      L, state, [&] { return reading; }, f);
}

void open_whole(lua_State* L, State& state);

}  // namespace mt::lua
