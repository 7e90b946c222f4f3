// Values that go to another state by name: packages, classes, and what C defines in the fields of packages.
#pragma once

#include "bindings/lua/threads/context.h"

namespace mt::lua {

// The name of the class whose metatable is at the index; nothing is pushed.
const char* name_of_class(lua_State* L, int index);
// The name of the class whose constructor has the metatable on top of the stack.
const char* name_of_constructor(lua_State* L);
// The name of a loaded package, the first in order.
const char* package_name(lua_State* L, int index);
// 'package:field' of a function or a userdata; nullptr where no package has it.
const char* name_of_field(lua_State* L, Context& context, int index);
// Whether a Lua function is of this library's files. One that a package has goes by its name, as its upvalues may lead to what belongs to
// this state.
bool is_ours(lua_State* L, Context& context, int index);
// Whether FFI cdata is an int64_t (1) or uint64_t (2); else 0.
int kind_of_integer(lua_State* L, int index);
void push_integer_cdata(lua_State* L, uint64_t bits, bool is_signed);

// Whether objects of the class whose metatable is on top of the stack write themselves, as into files.
bool writes_itself(lua_State* L, const Context& context);
// Calls a function of lua/threads/native.lua with what is on top of the stack, which its results replace.
void call_native(lua_State* L, const char* function, int results);

// Pushes the value of a name: a kind, a colon and the rest.
void push_named(lua_State* L, Context& context, const char* text, size_t length);
// Pushes the metatable of a class.
void push_class(lua_State* L, Context& context, const char* name, size_t length);

// Pushes the way to the value at the index, which was met in the object `parent`.
void push_path(lua_State* L, const Message& message, int anchors, int index, uint32_t parent, Travel travel);

}  // namespace mt::lua
