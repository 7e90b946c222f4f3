/* One program with LuaJIT, Moontorch and all its Lua files in it: runs a script, or its own main.lua. */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>
#include <string.h>

#include "embedded.h"

int luaopen_libmoontorch(lua_State* L);
int luaopen_libmoontorch_threads(lua_State* L);
const char* embedded_find(const char* name, size_t* size);

/* Called from start.lua by FFI, in threads of Lua, too. */
const char* embedded_find(const char* name, size_t* size) {
  for (int i = 0; i < embedded_count; ++i) {
    if (strcmp(embedded_files[i].name, name) == 0) {
      *size = embedded_files[i].size;
      return embedded_bytes + embedded_files[i].offset;
    }
  }
  return NULL;
}

static int start(lua_State* L) {
  char** argv = lua_touserdata(L, 1);
  size_t size = 0;
  const char* code = embedded_find("start", &size);
  luaL_openlibs(L);
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "preload");
  lua_pushcfunction(L, luaopen_libmoontorch);
  lua_setfield(L, -2, "libmoontorch");
  lua_pushcfunction(L, luaopen_libmoontorch_threads);
  lua_setfield(L, -2, "libmoontorch.threads");
  lua_newtable(L);
  for (int i = 0; argv[i]; ++i) {
    lua_pushstring(L, argv[i]);
    lua_rawseti(L, -2, i);
  }
  lua_setglobal(L, "arg");
  if (luaL_loadbuffer(L, code, size, "start") != 0) return lua_error(L);
  lua_call(L, 0, 0);
  return 0;
}

int main(int argc, char** argv) {
  lua_State* L = luaL_newstate();
  int failed;
  (void)argc;
  if (!L) {
    fprintf(stderr, "%s: not enough memory for a Lua state\n", argv[0]);
    return 1;
  }
  failed = lua_cpcall(L, start, argv) != 0;
  if (failed) fprintf(stderr, "%s: %s\n", argv[0], lua_tostring(L, -1));
  lua_close(L);
  return failed;
}
