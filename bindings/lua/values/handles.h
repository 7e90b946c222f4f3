// Lua objects by the addresses of their tensors, storages and containers.
#pragma once

#include "bindings/lua/state/state.h"

namespace mt::lua {

void open_handles(lua_State* L, State& state);

}  // namespace mt::lua
