// Lua's API, which the host provides. Each function is a variable in this namespace, so that programs without Lua can link and load the
// library, even with RTLD_NOW, and a Lua that is found later can be used. Include this instead of lua.hpp.
#pragma once

#ifdef lua_h
#error "host_lua.h must come before lua.h"
#endif

extern "C" {
#include <luaconf.h>

#undef LUA_API
#undef LUALIB_API
#define LUA_API extern __attribute__((weak))
#define LUALIB_API LUA_API

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
}

// Formatted by hand: clang-format changes a macro of this length each time.
// clang-format off
#define MT_LUA_FUNCTIONS(F) \
  F(luaL_argerror) F(luaL_callmeta) F(luaL_checkany) F(luaL_checkinteger) F(luaL_checklstring) F(luaL_checknumber) F(luaL_checkoption) \
  F(luaL_checkstack) F(luaL_checktype) F(luaL_error) F(luaL_getmetafield) F(luaL_loadbuffer) F(luaL_loadfile) F(luaL_newmetatable) F(luaL_newstate) \
  F(luaL_openlibs) F(luaL_optinteger) F(luaL_optlstring) F(luaL_optnumber) F(luaL_ref) F(luaL_traceback) F(luaL_unref) F(luaL_where) \
  F(lua_call) F(lua_checkstack) F(lua_close) F(lua_concat) F(lua_cpcall) F(lua_createtable) F(lua_dump) F(lua_error) F(lua_gc) \
  F(lua_getallocf) F(lua_getfenv) F(lua_getfield) F(lua_gethook) F(lua_getinfo) F(lua_getmetatable) F(lua_getstack) F(lua_gettable) \
  F(lua_gettop) F(lua_getupvalue) F(lua_insert) F(lua_iscfunction) F(lua_isnumber) F(lua_isstring) F(lua_isuserdata) F(lua_newthread) \
  F(lua_newuserdata) F(lua_next) F(lua_objlen) F(lua_pcall) F(lua_pushboolean) F(lua_pushcclosure) F(lua_pushfstring) \
  F(lua_pushinteger) F(lua_pushlightuserdata) F(lua_pushlstring) F(lua_pushnil) F(lua_pushnumber) F(lua_pushstring) F(lua_pushthread) \
  F(lua_pushvalue) F(lua_rawequal) F(lua_rawget) F(lua_rawgeti) F(lua_rawset) F(lua_rawseti) F(lua_remove) F(lua_replace) \
  F(lua_setallocf) F(lua_setfenv) F(lua_setfield) F(lua_sethook) F(lua_setmetatable) F(lua_settable) F(lua_settop) F(lua_setupvalue) \
  F(lua_toboolean) F(lua_tointeger) F(lua_tolstring) F(lua_tonumber) F(lua_topointer) F(lua_touserdata) F(lua_type) F(lua_typename) \
  F(lua_upvalueid) F(lua_upvaluejoin) F(lua_xmove)
// clang-format on

#pragma GCC visibility push(hidden)
namespace mt::lua {

// These variables hide the functions from all code in this namespace, including the macros of lua.h.
#define MT_DECLARE(name) extern decltype(&::name) name;
MT_LUA_FUNCTIONS(MT_DECLARE)
#undef MT_DECLARE

// Finds Lua in the global scope of the process, or else in the library with the code `caller` (which a host may have loaded with local
// symbols). Returns false if there is none.
bool find_lua_of(const void* caller);
// Finds Lua in the process, or else loads libluajit, for hosts without Lua.
bool open_luajit();

}  // namespace mt::lua
#pragma GCC visibility pop
