#include "bindings/lua/call/integer_arguments.h"

#include <cmath>

#include "bindings/lua/state/errors.h"
#include "bindings/lua/state/outgoing_texts.h"

namespace mt::lua {
namespace {

constexpr const char* truncate_key = "moontorch.truncate";  // in the registry

// setTruncate(truncate): truncate(message, value) warns the program, and returns the value with truncated fractions, or unchanged
int set_truncate(lua_State* L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_setfield(L, LUA_REGISTRYINDEX, truncate_key);
  return 0;
}

}  // namespace

void truncate_fractions(lua_State* L, State& state, const Reading& reading) {
  luaL_checkstack(L, LUA_MINSTACK, "too many arguments");
  state.texts.push(L, std::move(state.errors.message));
  const int message = lua_gettop(L);
  bool found = false;
  for (int i = reading.first; i <= reading.last; ++i) {
    lua_getfield(L, LUA_REGISTRYINDEX, truncate_key);
    if (lua_isnil(L, -1)) break;  // the library runs without its Lua files
    lua_pushvalue(L, message);
    lua_pushvalue(L, i);
    lua_call(L, 2, 1);
    const bool is_nan = lua_type(L, i) == LUA_TNUMBER && std::isnan(lua_tonumber(L, i));  // NaN is not equal to itself
    found = found || (!is_nan && lua_rawequal(L, -1, i) == 0);
    lua_replace(L, i);
  }
  if (!found) {
    guarded(L, state, [&] { throw FractionError(Status::range, lua_tostring(L, message)); });
  }
  lua_settop(L, message - 1);
}

void open_whole(lua_State* L, State& state) { add_function(L, state, "setTruncate", set_truncate); }

}  // namespace mt::lua
