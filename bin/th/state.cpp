// Paths of Lua files and libraries, and a check that LuaJIT is suitable.
#include "state.h"

#include "terminal.h"

namespace th {
namespace {

/// Prepends patterns to a search path of `package`; the user's LUA_PATH and LUA_CPATH remain, including the current folder.
void prepend(lua_State* L, const char* field, const char* patterns) {
  lua_getglobal(L, "package");
  lua_pushfstring(L, "%s;", patterns);
  lua_getfield(L, -2, field);
  lua_concat(L, 2);
  lua_setfield(L, -2, field);
  lua_pop(L, 1);
}

/// Runs torch/modules.lua, whose `require` loads Moontorch's files and library by full path.
void open_modules(lua_State* L, const Location& place) {
  if (luaL_loadfile(L, (place.lua_folder + "/torch/modules.lua").c_str()) != 0) lua_error(L);
  lua_pushliteral(L, "torch.modules");
  lua_createtable(L, 0, 2);
  lua_pushstring(L, place.lua_folder.c_str());
  lua_setfield(L, -2, "folder");
  lua_pushstring(L, place.library_patterns.c_str());
  lua_setfield(L, -2, "libraries");
  lua_call(L, 2, 0);
}

}  // namespace

void prepare_state(lua_State* L, const Location& place) {
  luaL_openlibs(L);
  if (luaL_dostring(L, "return require('ffi').abi('gc64') or not require('ffi').abi('64bit')") || !lua_toboolean(L, -1)) {
    luaL_error(L, "this LuaJIT was built without GC64; Moontorch needs one that has it (LuaJIT 2.1 built with -DLUAJIT_ENABLE_GC64)");
  }
  prepend(L, "path", place.lua_patterns.c_str());
  prepend(L, "cpath", place.library_patterns.c_str());

  lua_getglobal(L, "package");
  lua_getfield(L, -1, "preload");
  lua_pushcfunction(L, open_terminal);
  lua_setfield(L, -2, "trepl.terminal");
  lua_pop(L, 3);
  open_modules(L, place);
}

void push_require(lua_State* L) {
  lua_getfield(L, LUA_REGISTRYINDEX, "moontorch.modules");
  lua_getfield(L, -1, "require");
  lua_remove(L, -2);
}

void push_command(lua_State* L, const Start& start, const char* module) {
  prepare_state(L, start.place);
  push_require(L);
  lua_pushstring(L, module);
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "run");
  lua_createtable(L, start.argc, 1);
  for (int i = 0; i < start.argc; ++i) {
    lua_pushstring(L, start.argv[i]);
    lua_rawseti(L, -2, i);
  }
}

}  // namespace th
