// A limit on the heap of a Lua state.
#pragma once

#include <cstdint>

#include "bindings/lua/state/host_lua.h"

namespace mt::lua {

struct State;

int64_t heap_bytes(lua_State* L);  // the bytes in Lua's heap now

// While a limit is set, Lua allocates through this object.
class HeapLimit {
 public:
  int64_t limit() const { return limit_; }  // in bytes; 0: none
  void set(lua_State* L, int64_t bytes);

 private:
  static void* allocate(void* self, void* block, size_t old_size, size_t new_size);

  lua_Alloc host_allocate_ = nullptr;  // the host's, or LuaJIT's
  void* context_ = nullptr;
  int64_t limit_ = 0, used_ = 0;
  bool refused_ = false;  // after a refusal the limit is an eighth higher, for the error's handlers, until a collection frees memory
};

// Sets limits of a state's tensors and heap. Raises C++ errors. (memory_limit.cpp)
void set_memory_limits(lua_State* L, State& state, int64_t tensors, int64_t heap);

}  // namespace mt::lua
