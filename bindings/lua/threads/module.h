// libmoontorch.threads, the native part of lua/threads. A state needs no torch for it; torch is loaded when a tensor arrives.
#pragma once

#include "bindings/lua/threads/context.h"

namespace mt::lua {

// Passes the binding's state to this package.
void open_threads(lua_State* L, State& state);

// In the state of a pool's thread: registers the library, so that `require` needs no search, and opens this module.
void open_in_worker(lua_State* L);
// Keeps the library loaded: Lua would unload it among its finalisers, and later finalisers still use it.
void stay_loaded();

Context& context_of(lua_State* L);

}  // namespace mt::lua
