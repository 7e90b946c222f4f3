// Functions for Lua that load ops from libraries.
#pragma once

#include "bindings/lua/state/state.h"

namespace mt::lua {

void open_extension(lua_State* L, State& state);

}  // namespace mt::lua
