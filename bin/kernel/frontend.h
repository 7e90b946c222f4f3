// The Lua module `notebook.frontend`, native: what a program may show to the frontend and ask of it. And a standard input that asks it.
#pragma once

#include <lua.hpp>

#include "interpreter.h"

namespace kernel {

/// Puts the module into package.loaded. It serves the interpreter that `use_interpreter` has named; without one it shows nothing.
void open_frontend(lua_State* L);
void use_interpreter(Interpreter* interpreter);

/// Replaces C's `stdin`, for Lua's io library, which is opened later, and all other code.
void replace_standard_input();

}  // namespace kernel
