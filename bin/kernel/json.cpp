// Reads tables without metamethods, so that no code of a program runs.
#include "json.h"

#include <cmath>
#include <stdexcept>
#include <string>

namespace kernel {
namespace {

constexpr int kDeepest = 40;

using nlohmann::json;

json number(double value) {
  if (std::floor(value) == value && std::fabs(value) < 9007199254740992.0) return static_cast<int64_t>(value);
  return value;
}

json text(lua_State* L, int index) {
  size_t length = 0;
  const char* bytes = lua_tolstring(L, index, &length);
  return std::string(bytes, length);
}

json convert(lua_State* L, int index, int depth);

json list(lua_State* L, int index, int depth) {
  json result = json::array();
  const size_t length = lua_objlen(L, index);
  for (size_t i = 1; i <= length; ++i) {
    lua_rawgeti(L, index, static_cast<int>(i));
    result.push_back(convert(L, lua_gettop(L), depth));
    lua_pop(L, 1);
  }
  return result;
}

json object(lua_State* L, int index, int depth) {
  json result = json::object();
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    if (lua_type(L, -2) == LUA_TSTRING) result[text(L, -2).get<std::string>()] = convert(L, lua_gettop(L), depth);
  }
  return result;
}

json convert(lua_State* L, int index, int depth) {
  if (depth > kDeepest || lua_checkstack(L, 4) == 0) throw std::invalid_argument("tables are nested too deep for a message");
  switch (lua_type(L, index)) {
    case LUA_TBOOLEAN:
      return lua_toboolean(L, index) != 0;
    case LUA_TNUMBER:
      return number(lua_tonumber(L, index));
    case LUA_TSTRING:
      return text(L, index);
    case LUA_TTABLE:
      return lua_objlen(L, index) > 0 ? list(L, index, depth + 1) : object(L, index, depth + 1);
    default:
      return nullptr;
  }
}

}  // namespace

json to_json(lua_State* L, int index) { return convert(L, index < 0 ? lua_gettop(L) + 1 + index : index, 0); }

void push_strings(lua_State* L, const json& object) {
  lua_newtable(L);
  if (!object.is_object()) return;
  for (const auto& [name, value] : object.items()) {
    if (!value.is_string()) continue;
    const std::string& content = value.get_ref<const std::string&>();
    lua_pushlstring(L, name.data(), name.size());
    lua_pushlstring(L, content.data(), content.size());
    lua_rawset(L, -3);
  }
}

}  // namespace kernel
