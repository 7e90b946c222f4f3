// Objects of Lua by the address of what they hold.
#pragma once

#include "bindings/lua/state/state.h"

namespace mt::lua {

void open_handles(lua_State* L, State& state);

}  // namespace mt::lua
