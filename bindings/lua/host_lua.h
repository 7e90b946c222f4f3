// Lua's API as the host provides it: every function a weak reference, so that a program without Lua can link and load the library, also
// under RTLD_NOW. Include this in place of lua.hpp.
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
