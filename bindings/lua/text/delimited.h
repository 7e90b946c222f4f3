// Tables of text for Lua: records of separated fields, and columns of numbers, times, categories and texts.
#pragma once

#include "bindings/lua/state/state.h"

namespace mt::lua {

void open_delimited(lua_State* L, State& state);

}  // namespace mt::lua
