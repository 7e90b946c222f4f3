// th: LuaJIT with Moontorch. Code that need not be native is in lua/trepl.
#include <cstdio>
#include <optional>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include <lua.hpp>

#include "location.h"
#include "state.h"

namespace {

/// Runs in protected mode; returns the exit status.
int run(lua_State* L) {
  const th::Start& start = *static_cast<const th::Start*>(lua_touserdata(L, 1));
  th::push_command(L, start, "trepl.command");
  lua_call(L, 1, 1);
  return 1;
}

/// Whether all output was written: a full disk is a failure. Output that was closed from the start doesn't count.
bool output_arrived() {
  const bool flushed = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  return flushed || fcntl(STDOUT_FILENO, F_GETFD) < 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<th::Location> place = th::locate(argv[0]);
  if (!place) {
    std::fprintf(
        stderr, "th: the Lua files were not found: not in ../share/moontorch/lua, ../share/lua/5.1 or ../../../lua from the folder of %s\n",
        argv[0]);
    return 1;
  }
  lua_State* L = luaL_newstate();
  if (!L) {
    std::fprintf(stderr, "th: not enough memory for a Lua state\n");
    return 1;
  }
  th::Start start{argc, argv, *place};
  lua_pushcfunction(L, run);
  lua_pushlightuserdata(L, &start);
  int status = 1;
  if (lua_pcall(L, 1, 1, 0) != 0) {
    std::fprintf(stderr, "th: %s\n", lua_tostring(L, -1));
  } else {
    status = static_cast<int>(lua_tointeger(L, -1));
  }
  lua_close(L);
  if (!output_arrived()) {
    std::fprintf(stderr, "th: some of the output could not be written\n");
    if (status == 0) status = 1;
  }
  return status;
}
