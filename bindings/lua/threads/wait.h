// Waiting in a call from Lua, which an interrupt ends.
#pragma once

#include "bindings/lua/state/host_lua.h"
#include "engine/core/interrupt.h"
#include "engine/messages/waiting.h"

namespace mt::lua {

using namespace messages;

// The patience of a Lua state ends when the host requests an interrupt, or sets a debug hook, which only Lua code can run.
class StatePatience final : public Patience {
 public:
  explicit StatePatience(lua_State* L) : L_(L), hook_(lua_gethook(L)) {}
  bool is_over() const override { return interrupt_asked() || lua_gethook(L_) != hook_; }

 private:
  lua_State* const L_;
  const lua_Hook hook_;
};

// Raises the error of an interrupted wait.
[[noreturn]] inline void raise_interrupted(lua_State* L) {
  if (interrupt_asked()) interrupt_reported();
  luaL_error(L, "interrupted!");
  std::abort();  // luaL_error does not return
}

}  // namespace mt::lua
