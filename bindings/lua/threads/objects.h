// The functions of libmoontorch.threads.
#pragma once

#include "bindings/lua/threads/context.h"

namespace mt::lua {

// Each adds functions to the table on top of the stack.
void open_pools(lua_State* L, Context& context);
void open_locks(lua_State* L, Context& context);  // mutexes, conditions, and the functions common to all shared objects
void open_queues(lua_State* L, Context& context);
void open_tables(lua_State* L, Context& context);
void open_processes(lua_State* L, Context& context);  // pools of processes, in a subtable
void open_values(lua_State* L, Context& context);     // messages as values

inline constexpr uint64_t shared_magic = 0x6d74'5368'6172'6564;

struct SharedBox {
  uint64_t magic = shared_magic;
  SharedPtr object;
};

void push_shared(lua_State* L, Context& context, const SharedPtr& object);

// Pushes a new object of a class, made of arguments. The error for missing memory leaves nothing to a destructor.
template <class T, class... Arguments> int push_new(lua_State* L, const char* where, Arguments... arguments) {
  SharedPtr* made = nullptr;
  try {
    made = new SharedPtr(make_shared_object<T>(arguments...));
  } catch (const std::exception&) {
  }
  if (made == nullptr) return luaL_error(L, "%s: out of memory", where);
  push_shared(L, upvalue_context(L), *made);
  delete made;
  return 1;
}

// Adds a C function with the context as its upvalue.
void add_function(lua_State* L, Context& context, const char* name, lua_CFunction f);

}  // namespace mt::lua
