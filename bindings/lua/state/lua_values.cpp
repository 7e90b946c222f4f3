#include "bindings/lua/state/lua_values.h"

namespace mt::lua {

const char* class_name(lua_State* L, int index) {
  const char* name = luaL_typename(L, index);
  if (luaL_getmetafield(L, index, "__typename") == 0) return name;
  if (lua_type(L, -1) == LUA_TSTRING) name = lua_tostring(L, -1);  // the metatable keeps the text alive
  lua_pop(L, 1);
  return name;
}

bool has_only_fields(lua_State* L, int index) {
  lua_rawgeti(L, index, 1);
  const bool listed = !lua_isnil(L, -1);  // else the nil is the first key for lua_next
  if (listed || lua_next(L, index) == 0) {
    if (listed) lua_pop(L, 1);
    return false;
  }
  lua_pop(L, 2);
  return true;
}

std::string_view field_of(lua_State* L, int index) {
  if (index < 0) index += lua_gettop(L) + 1;
  lua_pushnil(L);
  while (lua_next(L, index) != 0) {
    lua_pop(L, 1);
    size_t size = 0;
    const char* name = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &size) : nullptr;
    if (name == nullptr || std::string_view(name, size) == "n") continue;  // of table.pack
    lua_pop(L, 1);
    return {name, size};
  }
  return {};
}

bool is_class(lua_State* L, int index) {
  if (lua_getmetatable(L, index) == 0) return false;
  lua_rawgeti(L, -1, 1);  // set by lua/torch/class.lua; an integer key, because pushing a name may run finalisers
  const bool marked = !lua_isnil(L, -1);
  lua_pop(L, 2);
  return marked;
}

void set_text(lua_State* L, const char* field, std::string_view text) {
  lua_pushlstring(L, text.data(), text.size());
  lua_setfield(L, -2, field);
}

}  // namespace mt::lua
