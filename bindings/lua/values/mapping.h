// Files and foreign memory as storages, and storages of one dtype over another's bytes.
#pragma once

#include "bindings/lua/state/state.h"

namespace mt::lua {

void open_mappings(lua_State* L, State& state);

}  // namespace mt::lua
