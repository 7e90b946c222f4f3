// Classes and tables on Lua's stack.
#pragma once

#include <string_view>

#include "bindings/lua/state/host_lua.h"

namespace mt::lua {

// The class of a value, or its Lua type, for messages. Lua may run finalisers in it: call it outside of guarded.
const char* class_name(lua_State* L, int index);
// Whether a table has fields and no element 1, so it is not a list.
bool has_only_fields(lua_State* L, int index);
// The name of a field, other than n, of the table at a stack index; empty if it has none. The table keeps the text alive.
std::string_view field_of(lua_State* L, int index);
// Whether a table is a class itself, such as torch.FloatTensor, which looks like an empty list.
bool is_class(lua_State* L, int index);

void set_text(lua_State* L, const char* field, std::string_view text);  // sets a field of the table on top of the stack

}  // namespace mt::lua
