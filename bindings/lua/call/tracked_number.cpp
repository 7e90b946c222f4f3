#include "bindings/lua/call/tracked_number.h"

#include "bindings/lua/call/bound_op.h"
#include "bindings/lua/state/state.h"
#include "bindings/lua/tape/grad_mode.h"
#include "bindings/lua/tape/native_tape.h"
#include "bindings/lua/values/boxes.h"

namespace mt::lua {

bool call_with_tracked_number(lua_State* L, const BoundOp& bound, int count) {
  const State& state = *bound.state;
  if (!state.grad_mode.enabled || state.tape.scale == LUA_NOREF) return false;
  bool found = false;
  for (int i = 1; i <= count; ++i) found = found || is_tracked_number(test_tensor(L, i));
  if (!found) return false;
  luaL_checkstack(L, count + 3, "too many arguments");
  lua_rawgeti(L, LUA_REGISTRYINDEX, state.tape.scale);
  const std::string_view name = bound.op->decl->name;
  lua_pushlstring(L, name.data(), name.size());
  lua_pushboolean(L, bound.is_method);
  for (int i = 1; i <= count; ++i) lua_pushvalue(L, i);
  lua_call(L, count + 2, 1);
  if (!lua_isnil(L, -1)) return true;
  lua_pop(L, 1);
  return false;
}

}  // namespace mt::lua
