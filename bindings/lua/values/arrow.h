// Columns of other libraries in the same process, by Arrow's C data interface.
#pragma once

#include "bindings/lua/state/state.h"

namespace mt::lua {

void open_arrow(lua_State* L, State& state);

}  // namespace mt::lua
