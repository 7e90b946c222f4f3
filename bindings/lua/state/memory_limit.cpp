// What one Lua state may take: tensors by what its account says, Lua's own heap by an allocator put before the host's.
#include <cmath>
#include <memory>

#include "bindings/lua/state/state.h"

namespace mt::lua {

struct HeapLimit {
  lua_Alloc allocate;  // the host's, or LuaJIT's own
  void* context;
  int64_t limit, used;
  bool refused;  // since when what handles the error has an eighth more, until a collection has made room

  // NULL is Lua's way to hear that there is none: it raises "not enough memory". What shrinks always may.
  static void* ask(void* self, void* block, size_t old_size, size_t new_size) {
    HeapLimit& own = *static_cast<HeapLimit*>(self);
    const int64_t before = block != nullptr ? static_cast<int64_t>(old_size) : 0, change = static_cast<int64_t>(new_size) - before;
    if (own.used < own.limit) own.refused = false;
    if (change > 0 && own.used + change > own.limit + (own.refused ? own.limit / 8 : 0)) {
      own.refused = true;
      return nullptr;
    }
    void* const made = own.allocate(own.context, block, old_size, new_size);
    if (made != nullptr || new_size == 0) own.used += change;
    return made;
  }
};

int64_t heap_bytes(lua_State* L) { return (int64_t{lua_gc(L, LUA_GCCOUNT, 0)} << 10) + lua_gc(L, LUA_GCCOUNTB, 0); }

void set_heap_limit(lua_State* L, State& state, int64_t bytes) {
  if (state.heap_limit == nullptr) {
    if (bytes == 0) return;
    state.heap_limit = std::make_shared<HeapLimit>();
    state.heap_limit->allocate = lua_getallocf(L, &state.heap_limit->context);
    lua_setallocf(L, &HeapLimit::ask, state.heap_limit.get());
  }
  HeapLimit& heap = *state.heap_limit;
  heap.limit = bytes;
  if (bytes == 0) {
    lua_setallocf(L, heap.allocate, heap.context);
    state.heap_limit = nullptr;
    return;
  }
  heap.used = heap_bytes(L);
  heap.refused = false;
}

namespace {

void push_limit(lua_State* L, int64_t limit) {
  if (limit == 0)
    lua_pushnil(L);
  else
    lua_pushnumber(L, static_cast<double>(limit));
}

// memoryLimit([tensors [, heap]]) -> the limits in bytes, nil where there is none. An argument sets one: 0 or infinity takes it back, nil
// leaves it.
int memory_limit(lua_State* L) {
  State& state = upvalue_state(L);
  const char* const names[] = {"tensors", "heap"};
  int64_t limits[2] = {state.budget.limit, state.heap_limit != nullptr ? state.heap_limit->limit : 0};
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
  if (tensors != 0 && state.account == no_account)
    fail<Status::unsupported>("memoryLimit", "tensors", "255 other states are open, and what the further ones hold is not counted");
  state.budget.limit = tensors;
  set_heap_limit(L, state, heap);
}

void open_memory_limit(lua_State* L, State& state) { add_function(L, state, "memoryLimit", memory_limit); }

}  // namespace mt::lua
