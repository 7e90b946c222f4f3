#include "bindings/lua/graph/running_line.h"

#include <string_view>

namespace mt::lua {

RunningLine running_line(lua_State* L, const std::string& home) {
  const auto is_own = [&](std::string_view source) {
    return !home.empty() && source.size() > home.size() && source[0] == '@' && source.substr(1, home.size()) == home;
  };
  lua_Debug ar;
  for (int level = 0; lua_getstack(L, level, &ar) != 0; ++level) {
    lua_getinfo(L, "Sl", &ar);
    if (ar.currentline > 0 && !is_own(ar.source)) return {static_cast<const char*>(ar.short_src), ar.currentline};
  }
  return {};
}

}  // namespace mt::lua
