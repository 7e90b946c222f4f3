// Sessions: a Lua state as C sees it, entered by one thread at a time, where no error of Lua's passes a C++ frame.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "bindings/lua/state/state.h"
#include "engine/capi/handle.h"
#include "moontorch/lua.h"

// Objects hold their session, which lives until the last of them is gone; its Lua state may be closed before.
struct mt_session {
  std::atomic<int64_t> references{1};
  std::atomic<lua_State*> lua{nullptr};  // null when it is closed
  mt::lua::State* state = nullptr;
  bool owns_lua = false;
  std::atomic<uintptr_t> thread{0};  // which is inside
  int depth = 0;                     // of its calls
  std::mutex dropped_lock;
  std::vector<int> dropped;  // references into Lua's registry that nobody has any more
};

struct mt_object {
  std::atomic<int64_t> references{1};
  mt_session* session;
  int reference;
};

namespace mt::lua {

// The state of this library in L, or nullptr where it was not opened. Called in protected code: it may run out of memory.
State* find_state(lua_State* L);

void release(mt_session* session);

// The calling thread is inside of a session. Raises a C++ error where that is closed, or another thread is inside.
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

// Runs a function as Lua's protected code; raises what it raised as a C++ error, of the kind that the engine or a check of Lua's gave it.
void run_protected(lua_State* L, const State* state, lua_CFunction function, void* body);

// The same of a lambda, which gets an empty stack. It must hold nothing with a destructor: an error goes past these.
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

// Pushes a tensor that shares its elements.
void push_shared(lua_State* L, State& state, const Tensor& t);

// Opens torch in a state, whose folder of Lua files is looked for where none is given; gives what is its own there.
State& open_in(lua_State* L, const char* folder, const char* function);

// Where C hands values to Lua: checked first, as what is wrong is told as a C++ error; then pushed, in protected code.
struct Arguments {
  const mt_value* args;
  int32_t count;
  const mt_named_value* named;
  int32_t named_count;
};
void check_arguments(const mt_session* session, const char* function, const Arguments& given);
void push_value(lua_State* L, State& state, const mt_value& value);
int push_arguments(lua_State* L, State& state, const Arguments& given);  // those by name as one table; gives how many values that is

}  // namespace mt::lua
