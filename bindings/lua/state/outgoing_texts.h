// Owns texts while they are copied to Lua: an error of Lua would skip the destructors in the caller's frame.
#pragma once

#include <deque>
#include <string>
#include <utility>

#include "bindings/lua/state/host_lua.h"

namespace mt::lua {

class OutgoingTexts {
 public:
  // Pushes a text. The caller's string is empty afterwards, even if Lua raises an error. Lua runs finalisers when it allocates, and these
  // may push texts: each text has its own slot.
  void push(lua_State* L, std::string&& text) {
    const size_t slot = texts_.size();
    texts_.push_back(std::move(text));
    lua_pushlstring(L, texts_[slot].data(), texts_[slot].size());
    texts_.resize(slot);
  }

 private:
  std::deque<std::string> texts_;
};

}  // namespace mt::lua
