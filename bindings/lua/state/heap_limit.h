// A limit on the heap of a Lua state.
#pragma once

#include <cstdint>

#include "bindings/lua/state/host_lua.h"

namespace mt::lua {

struct State;

int64_t heap_bytes(lua_State* L);  // what Lua's heap holds now

// While it has a limit, Lua allocates through it.
class HeapLimit {
 public:
  int64_t limit() const { return limit_; }  // in bytes; 0: none
  void set(lua_State* L, int64_t bytes);

 private:
  static void* allocate(void* self, void* block, size_t old_size, size_t new_size);

  lua_Alloc host_allocate_ = nullptr;  // the host's, or LuaJIT's
  void* context_ = nullptr;
  int64_t limit_ = 0, used_ = 0;
  bool refused_ = false;  // after a refusal, the limit is an eighth higher for code that handles the error, until a collection made room
};

// Sets limits of a state's tensors and heap. Raises C++ errors. (memory_limit.cpp)
void set_memory_limits(lua_State* L, State& state, int64_t tensors, int64_t heap);

}  // namespace mt::lua
