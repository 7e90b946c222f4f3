// Tensors of other libraries in the same process, by DLPack's structures.
#pragma once

#include "bindings/lua/state/state.h"

namespace mt::lua {

void open_dlpack(lua_State* L, State& state);

}  // namespace mt::lua
