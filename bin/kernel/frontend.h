// The native Lua module `notebook.frontend`: output to the frontend, and requests for input. And a standard input that uses such requests.
#pragma once

#include <lua.hpp>

#include "interpreter.h"

namespace kernel {

/// Adds the module to package.loaded. It uses the interpreter that `use_interpreter` has set; without one it shows nothing.
void open_frontend(lua_State* L);
void use_interpreter(Interpreter* interpreter);

/// Replaces C's `stdin`, for all code, including Lua's io library, which must be opened later.
void replace_standard_input();

}  // namespace kernel
