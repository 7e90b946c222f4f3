// Reads tables that Lua code of Moontorch passes to the binding. Values of other types count as empty text, 0 or false.
#pragma once

#include <string>

#include "bindings/lua/state/host_lua.h"

namespace mt::lua {

inline std::string text_at(lua_State* L, int index) {
  size_t length = 0;
  const char* text = lua_type(L, index) == LUA_TSTRING ? lua_tolstring(L, index, &length) : "";
  return {text, length};
}

inline std::string text_field(lua_State* L, int table, const char* field) {
  lua_getfield(L, table, field);
  std::string text = text_at(L, -1);
  lua_pop(L, 1);
  return text;
}

inline bool flag_field(lua_State* L, int table, const char* field) {
  lua_getfield(L, table, field);
  const bool on = lua_toboolean(L, -1) != 0;
  lua_pop(L, 1);
  return on;
}

inline int integer_at(lua_State* L, int table, int i) {
  lua_rawgeti(L, table, i);
  const auto value = static_cast<int>(lua_tointeger(L, -1));
  lua_pop(L, 1);
  return value;
}

}  // namespace mt::lua
