// Messages outside of pools: whether values can go, and values that go by reference whatever the rest does.
#include "bindings/lua/threads_objects.h"

namespace mt::lua {
namespace {

// travels(value) -> true; or false and why not
int travels(lua_State* L) {
  lua_settop(L, 1);
  auto* message = new (std::nothrow) Message;
  if (message == nullptr) return luaL_error(L, "threads: out of memory");
  const bool good = write_values(L, upvalue_context(L), *message, 1, true, Travel::value);
  delete message;
  lua_pushboolean(L, good ? 1 : 0);
  if (good) return 1;
  lua_insert(L, -2);
  return 2;
}

// reference(value) -> what stands for it in a message: it goes by reference
int reference(lua_State* L) {
  lua_settop(L, 1);
  lua_createtable(L, 1, 0);
  lua_insert(L, 1);
  lua_rawseti(L, 1, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, upvalue_context(L).reference_metatable);
  lua_setmetatable(L, 1);
  return 1;
}

}  // namespace

void add_function(lua_State* L, Context& context, const char* name, lua_CFunction f) {
  lua_pushlightuserdata(L, &context);
  lua_pushcclosure(L, f, 1);
  lua_setfield(L, -2, name);
}

void open_values(lua_State* L, Context& context) {
  add_function(L, context, "travels", travels);
  add_function(L, context, "reference", reference);
}

}  // namespace mt::lua
