// Ctrl-C in the program th: raises the error `interrupted!` in the running code. The library itself installs no handler.
#pragma once

#include <lua.hpp>

namespace th {

/// The result of a call: the status of lua_pcall, and whether Ctrl-C was pressed during the call.
struct Ended {
  int status;
  bool interrupted;
};

/// Calls the function below `count` arguments like lua_pcall with all results, with the error handler at stack index `handler`.
/// Ctrl-C makes it fail: Lua code at once, an op of the engine at its next block, other calls at their end. The second press prints a
/// message, and no inner pcall catches its error; the third one ends the process.
Ended interruptible_call(lua_State* L, int count, int handler);

/// From then on, compiled loops raise the error, too. Without a session they end the process, with status 130.
void begin_session(lua_State* L);

/// From then on, no interrupt ends the process: Jupyter can end the process of a kernel.
void keep_process();

/// Continues a session, if there is one, after a program has used LuaJIT's profiler.
void resume_session(lua_State* L);

/// Sets the engine's functions for signal handlers: `ask` requests ops to stop, and returns the previous request; the other one returns
/// whether the calling thread runs generated code that is not Lua's.
void stop_ops_by(int (*ask)(int), int (*runs_generated_code)());

}  // namespace th
