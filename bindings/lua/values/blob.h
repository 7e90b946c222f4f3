// Storages over a program's memory, which Lua keeps alive.
#pragma once

#include "bindings/lua/state/state.h"

namespace mt::lua {

void open_blobs(lua_State* L, State& state);

}  // namespace mt::lua
