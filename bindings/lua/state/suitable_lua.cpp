#include "bindings/lua/state/suitable_lua.h"

#include <dlfcn.h>

namespace mt::lua {
namespace {

constexpr const char* needed = "libmoontorch: LuaJIT 2.1 with FFI and GC64 is needed; this is %s";

// luaL_error of any Lua: the only function called before the check, because it is the same in all versions. Null if it is not visible.
decltype(&::luaL_error) raise_of_any_lua(const void* caller) {
  constexpr const char* name = "luaL_error";
  void* found = dlsym(RTLD_DEFAULT, name);
  Dl_info of;
  if (found == nullptr && dladdr(caller, &of) != 0) {
    if (void* const library = dlopen(of.dli_fname, RTLD_NOW | RTLD_NOLOAD)) found = dlsym(library, name);
  }
  return reinterpret_cast<decltype(&::luaL_error)>(found);
}

// Pushes the module ffi, or nil. Uses the registry, because a program may have removed `require`.
void push_ffi(lua_State* L) {
  lua_getfield(L, LUA_REGISTRYINDEX, "_LOADED");
  if (lua_istable(L, -1)) {
    lua_getfield(L, -1, LUA_FFILIBNAME);
    if (lua_istable(L, -1)) return;
  }
  lua_getfield(L, LUA_REGISTRYINDEX, "_PRELOAD");
  if (lua_istable(L, -1)) {
    lua_getfield(L, -1, LUA_FFILIBNAME);
    if (lua_isfunction(L, -1)) {
      lua_pushliteral(L, LUA_FFILIBNAME);
      if (lua_pcall(L, 1, 1, 0) == 0) return;
    }
  }
  lua_pushnil(L);
}

bool has_gc64(lua_State* L) {
  lua_getfield(L, -1, "abi");
  lua_pushliteral(L, "gc64");
  return lua_pcall(L, 1, 1, 0) == 0 && lua_toboolean(L, -1) != 0;
}

}  // namespace

bool need_suitable_lua(lua_State* L, const void* caller) {
  if (!find_lua_of(caller)) {  // it looks for functions that only LuaJIT has
    if (const auto raise = raise_of_any_lua(caller)) raise(L, needed, "another Lua");
    return false;
  }
  const int top = lua_gettop(L);
  luaL_checkstack(L, 8, "libmoontorch");
  push_ffi(L);
  if (!lua_istable(L, -1)) luaL_error(L, needed, "a LuaJIT without FFI, or a state that did not open it");
  if (!has_gc64(L)) luaL_error(L, needed, "a LuaJIT that addresses 2 GB only");
  lua_settop(L, top);
  return true;
}

}  // namespace mt::lua
