// Sessions: Lua states for C callers. One thread at a time enters a session, and Lua errors never pass through C++ frames.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "bindings/lua/state/state.h"
#include "engine/capi/call.h"
#include "moontorch/lua.h"

// Objects keep their session alive; its Lua state can be closed before.
struct mt_session {
  std::atomic<int64_t> references{1};
  std::atomic<lua_State*> lua{nullptr};  // null after it was closed
  mt::lua::State* state = nullptr;
  bool owns_lua = false;
  std::atomic<uintptr_t> thread{0};  // the thread inside
  int depth = 0;                     // of nested calls
  std::mutex dropped_lock;
  std::vector<int> dropped;  // registry references of released objects
};

struct mt_object {
  std::atomic<int64_t> references{1};
  mt_session* session;
  int reference;
};

namespace mt::lua {

// The state of this library in L, or nullptr if it was not opened. Call it in protected mode: it can run out of memory.
State* find_state(lua_State* L);

void release(mt_session* session);

// Enters a session for its lifetime. Raises a C++ error if the session is closed, or another thread is inside.
class Inside {
 public:
  Inside(const mt_session* session, const char* function);
  ~Inside();
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  mt_session& session() const { return session_; }
  lua_State* lua() const { return lua_; }
  State& state() const { return *session_.state; }

 private:
  mt_session& session_;
  lua_State* lua_;
};

// Runs a function in Lua's protected mode. Converts its Lua error into a C++ error of the kind that the engine, or a check in Lua, set.
void run_protected(lua_State* L, const State* state, lua_CFunction function, void* body);

// The same for a lambda, which starts with an empty stack. It must have no objects with destructors, which a Lua error skips.
template <class F> void protect(lua_State* L, const State* state, F&& body) {
  using Body = std::remove_reference_t<F>;
  const auto run = [](lua_State* inner) {
    auto* const called = static_cast<Body*>(lua_touserdata(inner, 1));
    lua_settop(inner, 0);
    (*called)(inner);
    return 0;
  };
  run_protected(L, state, run, const_cast<void*>(static_cast<const void*>(&body)));
}

// Pushes a Lua tensor that shares the storage.
void push_shared(lua_State* L, State& state, const Tensor& t);

// Opens torch in a Lua state and returns its State. Searches for the folder of Lua files if `folder` is null.
State& open_in(lua_State* L, const char* folder, const char* function);

// Values from C: first checked, with C++ errors, then pushed in protected mode.
using capi::Arguments;
void check_arguments(const mt_session* session, const char* function, const Arguments& given);
void push_value(lua_State* L, State& state, const mt_value& value);
int push_arguments(lua_State* L, State& state, const Arguments& given);  // named ones as one table; returns the number of pushed values

}  // namespace mt::lua
