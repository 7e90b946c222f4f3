// Memory of a program's own as tensors, and what keeps it alive.
#pragma once

#include "bindings/lua/state/state.h"

namespace mt::lua {

void open_blobs(lua_State* L, State& state);

}  // namespace mt::lua
