// Which Lua may open the library.
#pragma once

#include "bindings/lua/state/host_lua.h"

namespace mt::lua {

/// Raises an error, one sentence, unless the state is one of LuaJIT 2.1 with FFI and GC64. To be called before anything else of Lua's, as
/// other Luas have functions of the same names that take or return something else. `caller` is code of the Lua that calls. False where the
/// library sees no Lua at all, so that nothing can be raised: the program has one, and does not show its functions.
[[nodiscard]] bool need_suitable_lua(lua_State* L, const void* caller);

}  // namespace mt::lua
