#include "bindings/lua/state/suitable_lua.h"

#include <dlfcn.h>

namespace mt::lua {
namespace {

constexpr const char* needed = "libmoontorch: LuaJIT 2.1 with FFI and GC64 is needed; this is %s";

// What raises errors in any Lua: of all its functions the one that we call and that is the same in each. Null where none is to be seen.
decltype(&::luaL_error) raise_of_any_lua(const void* caller) {
  constexpr const char* name = "luaL_error";
  void* found = dlsym(RTLD_DEFAULT, name);
  Dl_info of;
  if (found == nullptr && dladdr(caller, &of) != 0) {
    if (void* const library = dlopen(of.dli_fname, RTLD_NOW | RTLD_NOLOAD)) found = dlsym(library, name);
  }
  return reinterpret_cast<decltype(&::luaL_error)>(found);
}

// Pushes the module ffi, or nil. `require` may be gone: the registry has what it would find.
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
  if (!find_lua_of(caller)) {  // among what it finds is what only LuaJIT has
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
