// Storages in shared memory of processes.
#pragma once

#include "bindings/lua/state/state.h"

namespace mt::lua {

void open_shared_memory(lua_State* L, State& state);

}  // namespace mt::lua
