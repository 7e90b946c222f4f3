// libmoontorch.threads, the native part of lua/threads: it needs no torch in a state, and brings it when a tensor comes.
#pragma once

#include "bindings/lua/threads/context.h"

namespace mt::lua {

// Tells what this package needs of the binding's state.
void open_threads(lua_State* L, State& state);

// Lets a state of a thread of ours require the library without looking for it, and opens this part.
void open_in_worker(lua_State* L);
// Keeps our code where it is: Lua would unload it among its finalisers, of which some run after it.
void stay_loaded();

Context& context_of(lua_State* L);

}  // namespace mt::lua
