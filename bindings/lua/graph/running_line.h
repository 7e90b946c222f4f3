// The line of the program that runs.
#pragma once

#include <string>

#include "bindings/lua/state/host_lua.h"

namespace mt::lua {

struct RunningLine {
  std::string file;  // as in Lua's messages
  int number = 0;    // 0: there is none
};

// The innermost line outside of Moontorch's own files, whose folder is `home`.
RunningLine running_line(lua_State* L, const std::string& home);

}  // namespace mt::lua
