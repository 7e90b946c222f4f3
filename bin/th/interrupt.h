// Ctrl-C in the program th: an error `interrupted!` in the Lua code that runs. The library itself installs no handler.
#pragma once

#include <lua.hpp>

namespace th {

/// Calls the function below `count` arguments like lua_pcall with all results, its error handled by the function at stack index `handler`.
/// Ctrl-C makes it fail; a second one passes every pcall inside. A second one that finds no Lua code to stop ends the process (the third
/// one in a session).
int interruptible_call(lua_State* L, int count, int handler);

/// From here on Ctrl-C never ends the process at the first press, and compiled loops can be interrupted as well.
void begin_session(lua_State* L);

}  // namespace th
