#include "bindings/lua/state/modules.h"

namespace mt::lua {
namespace {

constexpr const char* key = "moontorch.modules";  // in the registry: the table that torch/modules.lua returns

}  // namespace

void open_modules(lua_State* L, const char* folder) {
  lua_getfield(L, LUA_REGISTRYINDEX, key);
  if (!lua_istable(L, -1)) {
    lua_pushfstring(L, "%s/torch/modules.lua", folder);
    if (luaL_loadfile(L, lua_tostring(L, -1)) != 0) lua_error(L);
    lua_pushliteral(L, "torch.modules");
    lua_createtable(L, 0, 1);
    lua_pushstring(L, folder);
    lua_setfield(L, -2, "folder");
    lua_call(L, 2, 0);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

void push_require(lua_State* L) {
  lua_getfield(L, LUA_REGISTRYINDEX, key);
  if (lua_istable(L, -1)) {
    lua_getfield(L, -1, "require");
    lua_remove(L, -2);
  } else {
    lua_pop(L, 1);
    lua_getfield(L, LUA_GLOBALSINDEX, "require");
  }
}

void push_module(lua_State* L, const char* name) {
  push_require(L);
  lua_pushstring(L, name);
  lua_call(L, 1, 1);
}

}  // namespace mt::lua
