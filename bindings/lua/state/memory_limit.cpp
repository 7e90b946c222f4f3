// The limits of a Lua state for programs: of its tensors by its budget, of Lua's heap by an allocator.
#include <cmath>
#include <limits>

#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/heap_limit.h"
#include "bindings/lua/state/memory_account.h"
#include "bindings/lua/state/open.h"
#include "engine/core/budget.h"
#include "engine/core/error.h"

namespace mt::lua {

namespace {

void push_limit(lua_State* L, int64_t limit) {
  if (limit == 0 || limit == std::numeric_limits<int64_t>::max())  // the latter: a profile watches memory
    lua_pushnil(L);
  else
    lua_pushnumber(L, static_cast<double>(limit));
}

// memoryLimit([tensors [, heap]]) -> the limits in bytes, nil if there is none. An argument sets a limit: 0 or infinity removes it, nil
// doesn't change it.
int memory_limit(lua_State* L) {
  State& state = upvalue_state(L);
  const char* const names[] = {"tensors", "heap"};
  int64_t limits[2] = {state.budget.limit, state.heap_limit.limit()};
  guarded(L, state, [&] {
    for (int i = 0; i < 2; ++i) {
      if (lua_isnoneornil(L, i + 1)) continue;
      if (lua_type(L, i + 1) != LUA_TNUMBER) fail("memoryLimit", names[i], luaL_typename(L, i + 1), ", expected a number of bytes");
      const double bytes = lua_tonumber(L, i + 1);
      if (!(bytes >= 0)) fail<Status::range>("memoryLimit", names[i], bytes, ", expected 0 or more");
      limits[i] = bytes < 0x1p62 ? static_cast<int64_t>(std::ceil(bytes)) : 0;
    }
    set_memory_limits(L, state, limits[0], limits[1]);
  });
  for (const int64_t limit : limits) push_limit(L, limit);
  return 2;
}

}  // namespace

void set_memory_limits(lua_State* L, State& state, int64_t tensors, int64_t heap) {
  if (tensors != 0 && !state.account.is_open())
    fail<Status::unsupported>("memoryLimit", "tensors", "255 other states are open, and the tensors of further states are not counted");
  state.budget.limit = tensors;
  state.heap_limit.set(L, heap);
}

void open_memory_limit(lua_State* L, State& state) { add_function(L, state, "memoryLimit", memory_limit); }

}  // namespace mt::lua
