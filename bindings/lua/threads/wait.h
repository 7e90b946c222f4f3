// Waiting in a call from Lua: until what is waited for is there, or the state is to be stopped.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "bindings/lua/state/host_lua.h"
#include "engine/core/interrupt.h"

namespace mt::lua {

// Tells when a wait is to be given up: the host asks for an interrupt, or has set a debug hook, which Lua code runs into.
class Patience {
 public:
  explicit Patience(lua_State* L) : L_(L), hook_(lua_gethook(L)) {}
  bool is_over() const { return interrupt_asked() || lua_gethook(L_) != hook_; }

 private:
  lua_State* const L_;
  const lua_Hook hook_;
};

// True when it is ready; false when patience is over. Looks a few times a second for what nobody notifies of.
template <class Ready>
bool wait_for(std::unique_lock<std::mutex>& lock, std::condition_variable& changed, const Patience& patience, Ready&& ready) {
  constexpr auto look = std::chrono::milliseconds(50);
  while (!ready()) {
    if (patience.is_over()) return false;
    changed.wait_for(lock, look);
  }
  return true;
}

// Raises the error of a wait that was given up.
[[noreturn]] inline void raise_interrupted(lua_State* L) {
  if (interrupt_asked()) interrupt_reported();
  luaL_error(L, "interrupted!");
  std::abort();  // luaL_error does not return
}

}  // namespace mt::lua
