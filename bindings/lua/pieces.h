// Tensors in tables: what modules that join, cut and take apart do with them in Torch7's protocol, without a tape.
#pragma once

#include "bindings/lua/state.h"

namespace mt::lua {

void open_pieces(lua_State* L, State& state);

}  // namespace mt::lua
