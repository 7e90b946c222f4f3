// Ctrl-C in a region of a program that ends by itself after the first press.
#pragma once

#include "bindings/lua/state/state.h"

namespace mt::lua {

void open_held_interrupts(lua_State* L, State& state);

}  // namespace mt::lua
