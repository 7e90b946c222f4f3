// The mode in which the ops of a Lua state are lazy (lua/torch/lazy.lua).
#pragma once

#include "bindings/lua/state/state.h"

namespace mt::lua {

// Whether the hook of the state is that of lazy ops.
bool has_lazy_ops(const State& state);

void add_lazy_mode(lua_State* L, State& state);

}  // namespace mt::lua
