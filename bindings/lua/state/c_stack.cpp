#include "bindings/lua/state/c_stack.h"

#include <pthread.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace mt::lua {
namespace {

// Stack space for kernels, vendor libraries, and LuaJIT's collector and compiler, which need a few tens of KiB.
constexpr size_t reserve = size_t{256} << 10;

struct Stack {
  uintptr_t end = 0, limit = 0;  // the stack grows down to `end`; the space below `limit` is the reserve
};

Stack stack_of_this_thread() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* lowest = nullptr;
  size_t size = 0;
  const bool known = pthread_attr_getstack(&attributes, &lowest, &size) == 0;
  pthread_attr_destroy(&attributes);
  if (!known) return {};
  const auto end = reinterpret_cast<uintptr_t>(lowest);
  return {end, end + std::min(reserve, size / 2)};
}

}  // namespace

void check_c_stack(lua_State* L) {
  thread_local const Stack stack = stack_of_this_thread();
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  // A host may run Lua on a custom stack, whose limits are unknown.
  if (here >= stack.end && here < stack.limit) luaL_error(L, "stack overflow");
}

void check_lua_stack(lua_State* L) {
  constexpr int slots_of_frames = 1000;  // a compiled recursion holds a few calls, of about 100 slots each in Moontorch's loops
  luaL_checkstack(L, slots_of_frames, "calls");
}

}  // namespace mt::lua
