// Runs C++ code that may throw, between frames of Lua, and converts its exceptions to Lua errors.
#pragma once

#include "bindings/lua/state/state.h"
#include "engine/core/budget.h"

namespace mt::lua {

class OffersGarbage;  // bindings/lua/state/offers_garbage.h

// Saves the message and the status of the current exception. (errors.cpp)
void keep_message(State& state) noexcept;
// Raises the saved message as a Lua error at the caller's line. No C++ frame with destructors may be pending. (errors.cpp)
[[noreturn]] void raise_message(lua_State* L, State& state);
// Pushes the position for an error of the library, in the format of luaL_where: that of the caller of the outermost function among the
// library's functions that call each other. (errors.cpp)
void push_place(lua_State* L, const State& state);

// For its lifetime, in a state that has a limit: new storages count against it at once, and garbage may be collected for them.
// (offers_garbage.cpp)
class WithinLimit {
 public:
  WithinLimit(lua_State* L, State& state) {
    if (state.budget.is_set()) [[unlikely]]
      enter(L, state);
  }
  ~WithinLimit() {
    if (offer_ != nullptr) [[unlikely]]
      leave();
  }
  WithinLimit(const WithinLimit&) = delete;
  WithinLimit& operator=(const WithinLimit&) = delete;

 private:
  void enter(lua_State* L, State& state);
  void leave();

  OffersGarbage* offer_ = nullptr;
};

// Runs f, which may throw. Then, with no C++ frame pending, raises its exception as a Lua error at the caller's line.
template <class F> void guarded(lua_State* L, State& state, F&& f) {
  bool failed = false;
  try {
    const WithinLimit limit(L, state);
    f();
  } catch (...) {
    keep_message(state);
    failed = true;
  }
  if (failed) raise_message(L, state);
}

}  // namespace mt::lua
