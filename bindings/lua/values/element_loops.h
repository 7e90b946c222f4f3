// Memory of tensors for Lua loops over their elements.
#pragma once

#include "bindings/lua/state/state.h"

namespace mt::lua {

void open_element_loops(lua_State* L, State& state);

}  // namespace mt::lua
