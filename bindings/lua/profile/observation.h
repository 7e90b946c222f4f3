// What a Lua state observes of its ops: profiles, and the search for NaNs. One observation runs at a time.
#pragma once

#include "bindings/lua/state/host_lua.h"

namespace mt::lua {

struct State;

void open_observation(lua_State* L, State& state);

}  // namespace mt::lua
