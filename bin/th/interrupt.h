// Ctrl-C in the program th: an error `interrupted!` in what runs. The library itself installs no handler.
#pragma once

#include <lua.hpp>

namespace th {

/// How a call ended: lua_pcall's status, and whether Ctrl-C was pressed meanwhile.
struct Ended {
  int status;
  bool interrupted;
};

/// Calls the function below `count` arguments like lua_pcall with all results, its error handled by the function at stack index `handler`.
/// Ctrl-C makes it fail: Lua code at once, an op of the engine at its next block, what can't be stopped at its end. The second press says
/// that it waits, and passes every pcall inside; the third ends the process.
Ended interruptible_call(lua_State* L, int count, int handler);

/// From here on compiled loops raise the error, too. Elsewhere they end the process, with status 130.
void begin_session(lua_State* L);

/// From here on no interrupt ends the process, as one of a kernel has somebody else who can.
void keep_process();

/// Goes on with a session, if there is one, after a program has used LuaJIT's profiler.
void resume_session(lua_State* L);

/// The engine's functions for signal handlers: asks ops to give up and returns what was asked before, and whether the calling thread runs
/// code that is generated but not Lua's.
void stop_ops_by(int (*ask)(int), int (*runs_generated_code)());

}  // namespace th
