// Ops of other libraries, as Lua loads them.
#pragma once

#include "bindings/lua/state/state.h"

namespace mt::lua {

void open_extension(lua_State* L, State& state);

}  // namespace mt::lua
