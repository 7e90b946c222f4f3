// Storages over files and external memory, and storages of one dtype over the bytes of another.
#pragma once

#include "bindings/lua/state/state.h"

namespace mt::lua {

void open_mappings(lua_State* L, State& state);

}  // namespace mt::lua
