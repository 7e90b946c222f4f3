// C functions that compiled Lua code calls through FFI, which costs a few nanoseconds; Lua gets their addresses, so that no symbol need be
// visible.
#pragma once

#include "bindings/lua/state/state.h"

namespace mt::lua {

void open_element_converters(lua_State* L, State& state);
void open_number_draws(lua_State* L, State& state);

template <class F> void push_function_address(lua_State* L, F* function) {
  lua_pushnumber(L, static_cast<lua_Number>(reinterpret_cast<uintptr_t>(function)));  // addresses have at most 48 bits
}

}  // namespace mt::lua
