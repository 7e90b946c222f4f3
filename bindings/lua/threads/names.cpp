#include "bindings/lua/threads/names.h"

#include <cstring>
#include <string_view>

#include "bindings/lua/state/modules.h"

namespace mt::lua {
namespace {

const char* text_at_top(lua_State* L) { return lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : nullptr; }

int absolute(lua_State* L, int index) { return index < 0 && index > LUA_REGISTRYINDEX ? lua_gettop(L) + 1 + index : index; }

// Pushes a function of lua/threads/native.lua.
void push_function(lua_State* L, const char* name) {
  push_module(L, "threads.native");
  lua_getfield(L, -1, name);
  lua_replace(L, -2);
}

// The first name, in alphabetical order, under which a table of packages or fields contains the value at the index. Pushes only that key.
bool push_key_of(lua_State* L, int table, int index) {
  bool found = false;
  lua_pushnil(L);  // the best name so far, below the key
  for (lua_pushnil(L); lua_next(L, table) != 0; lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING || lua_rawequal(L, -1, index) == 0) continue;
    if (found && std::strcmp(lua_tostring(L, -2), lua_tostring(L, -3)) >= 0) continue;
    lua_pushvalue(L, -2);
    lua_replace(L, -4);
    found = true;
  }
  if (!found) lua_pop(L, 1);
  return found;
}

// Pushes the alphabetically first 'package:field', or nil. Lookups are raw: fields that a package loads on demand are not found.
void push_field_name(lua_State* L, int index) {
  lua_pushnil(L);
  const int best = lua_gettop(L);
  lua_getfield(L, LUA_REGISTRYINDEX, "_LOADED");
  const int packages = best + 1;
  for (lua_pushnil(L); lua_next(L, packages) != 0; lua_settop(L, packages + 1)) {
    if (lua_type(L, -2) != LUA_TSTRING || !lua_istable(L, -1) || !push_key_of(L, lua_gettop(L), index)) continue;
    lua_pushfstring(L, "%s:%s", lua_tostring(L, packages + 1), lua_tostring(L, -1));
    if (lua_isnil(L, best) || std::strcmp(lua_tostring(L, -1), lua_tostring(L, best)) < 0) lua_replace(L, best);
  }
  lua_settop(L, best);
}

}  // namespace

const char* name_of_class(lua_State* L, int index) {
  lua_pushvalue(L, index);
  lua_rawget(L, LUA_REGISTRYINDEX);
  const char* name = text_at_top(L);  // the registry keeps it
  lua_pop(L, 1);
  return name;
}

const char* name_of_constructor(lua_State* L) {
  lua_rawgeti(L, -1, 1);  // lua/torch/class.lua stores a boolean here in constructors
  const bool marked = lua_type(L, -1) == LUA_TBOOLEAN;
  lua_pop(L, 1);
  if (!marked) return nullptr;
  lua_pushliteral(L, "__metatable");
  lua_rawget(L, -2);
  const char* name = lua_istable(L, -1) ? name_of_class(L, lua_gettop(L)) : nullptr;
  lua_pop(L, 1);
  return name;
}

const char* package_name(lua_State* L, int index) {
  lua_getfield(L, LUA_REGISTRYINDEX, "_LOADED");
  const bool found = push_key_of(L, lua_gettop(L), index);
  const char* name = found ? lua_tostring(L, -1) : "";
  lua_pop(L, found ? 2 : 1);
  return name;
}

const char* name_of_field(lua_State* L, Context& context, int index) {
  index = absolute(L, index);
  lua_rawgeti(L, LUA_REGISTRYINDEX, context.field_names);
  lua_pushvalue(L, index);
  lua_rawget(L, -2);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    push_field_name(L, index);
    if (lua_isnil(L, -1)) {
      lua_pop(L, 1);
      lua_pushboolean(L, 0);
    }
    lua_pushvalue(L, index);
    lua_pushvalue(L, -2);
    lua_rawset(L, -4);
  }
  const char* name = text_at_top(L);  // the table keeps it
  lua_pop(L, 2);
  return name;
}

bool is_ours(lua_State* L, Context& context, int index) {
  if (context.folder.empty()) {
    push_function(L, "folder");
    lua_call(L, 0, 1);
    context.folder = lua_tostring(L, -1);
    lua_pop(L, 1);
  }
  lua_pushvalue(L, index);
  lua_Debug about;
  lua_getinfo(L, ">S", &about);
  return std::string_view(about.source).substr(0, context.folder.size()) == context.folder;
}

int kind_of_number(lua_State* L, int index) {
  index = absolute(L, index);
  push_function(L, "kindOfNumber");
  lua_pushvalue(L, index);
  lua_call(L, 1, 1);
  const int kind = static_cast<int>(lua_tointeger(L, -1));
  lua_pop(L, 1);
  return kind;
}

void push_integer_cdata(lua_State* L, uint64_t bits, bool is_signed) {
  push_function(L, "makeInteger");
  lua_pushnumber(L, static_cast<double>(bits >> 32));
  lua_pushnumber(L, static_cast<double>(bits & 0xffff'ffff));
  lua_pushboolean(L, is_signed ? 1 : 0);
  lua_call(L, 3, 1);
}

void push_complex_cdata(lua_State* L, double real, double imaginary) {
  push_function(L, "makeComplex");
  lua_pushnumber(L, real);
  lua_pushnumber(L, imaginary);
  lua_call(L, 2, 1);
}

void call_native(lua_State* L, const char* function, int results) {
  push_function(L, function);
  lua_insert(L, -2);
  lua_call(L, 1, results);
}

bool writes_itself(lua_State* L, const Context& context) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, context.writes_itself);
  lua_pushvalue(L, -2);
  lua_rawget(L, -2);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -1);
    call_native(L, "writesItself", 1);
    lua_pushvalue(L, -1);
    lua_insert(L, -3);
    lua_rawset(L, -4);
  }
  const bool writes = lua_toboolean(L, -1) != 0;
  lua_pop(L, 2);
  return writes;
}

void push_class(lua_State* L, Context& context, const char* name, size_t length) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, context.classes);
  lua_pushlstring(L, name, length);
  lua_pushvalue(L, -1);
  lua_rawget(L, -3);
  if (!lua_istable(L, -1)) {
    lua_pop(L, 1);
    push_function(L, "class");
    lua_pushvalue(L, -2);
    lua_call(L, 1, 1);
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -2);
    lua_rawset(L, -5);
  }
  lua_replace(L, -3);
  lua_pop(L, 1);
}

void push_named(lua_State* L, Context& context, const char* text, size_t length) {
  const std::string_view whole(text, length);
  constexpr std::string_view of_class = "class:";
  if (whole.substr(0, of_class.size()) == of_class) return push_class(L, context, text + of_class.size(), length - of_class.size());
  push_function(L, "value");
  lua_pushlstring(L, text, length);
  lua_call(L, 1, 1);
}

namespace {

// Pushes the path to the value at `index` from the table or function on top of the stack.
void push_step(lua_State* L, int index) {
  const int holder = lua_gettop(L);
  if (lua_isfunction(L, holder)) {
    for (int i = 1;; ++i) {
      const char* name = lua_getupvalue(L, holder, i);
      if (name == nullptr) break;
      const bool same = lua_rawequal(L, -1, index) != 0;
      lua_pop(L, 1);
      if (!same) continue;
      if (*name == '\0')
        lua_pushfstring(L, "upvalue %d", i);
      else
        lua_pushstring(L, name);
      return;
    }
  } else {
    if (lua_getmetatable(L, holder) != 0) {
      const bool same = lua_rawequal(L, -1, index) != 0;
      lua_pop(L, 1);
      if (same) return lua_pushliteral(L, "<metatable>");
    }
    for (lua_pushnil(L); lua_next(L, holder) != 0; lua_pop(L, 1)) {
      const bool is_key = lua_rawequal(L, -2, index) != 0;
      if (!is_key && lua_rawequal(L, -1, index) == 0) continue;
      lua_pop(L, 1);
      if (is_key)
        lua_pushfstring(L, "<key of type %s>", luaL_typename(L, -1));
      else if (lua_type(L, -1) == LUA_TSTRING || lua_type(L, -1) == LUA_TNUMBER)
        lua_pushfstring(L, "%s", (lua_pushvalue(L, -1), lua_tostring(L, -1)));
      else
        lua_pushfstring(L, "<%s>", luaL_typename(L, -1));
      return;
    }
  }
  lua_pushliteral(L, "?");
}

}  // namespace

void push_path(lua_State* L, const Message& message, int anchors, int index, uint32_t parent, Travel travel) {
  constexpr int most_steps = 30;
  luaL_checkstack(L, 10, "a path");
  lua_pushliteral(L, "");
  const int path = lua_gettop(L);
  lua_pushvalue(L, index);
  const int value = path + 1;
  bool of_function = false;
  int steps = 0;
  for (; (parent & Message::at_top) == 0; parent = message.objects[parent].parent, ++steps) {
    lua_rawgeti(L, anchors, static_cast<int>(parent + 1));
    if (steps < most_steps) {
      push_step(L, value);
      lua_pushfstring(L, steps == 0 ? "%s" : "%s.%s", lua_tostring(L, -1), lua_tostring(L, path));
      lua_replace(L, path);
    } else if (steps == most_steps) {
      lua_pushfstring(L, "... %s", lua_tostring(L, path));
      lua_replace(L, path);
    }
    lua_settop(L, value + 1);
    lua_replace(L, value);
    of_function = lua_isfunction(L, value);
  }
  const int root = static_cast<int>(parent & ~Message::at_top);
  if (travel == Travel::job && root == 1)
    lua_pushliteral(L, "addjob: callback");
  else if (travel == Travel::job)
    lua_pushfstring(L, "addjob: argument %d", root - 1);
  else
    lua_pushfstring(L, travel == Travel::result ? "result %d" : "value %d", root);
  if (steps > 0) lua_pushfstring(L, of_function ? "%s: upvalue %s" : "%s: field %s", lua_tostring(L, -1), lua_tostring(L, path));
  lua_replace(L, path);
  lua_settop(L, path);
}

}  // namespace mt::lua
