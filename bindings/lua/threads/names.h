// Values that are sent by name: packages, classes, and C functions and userdata in fields of packages.
#pragma once

#include "bindings/lua/threads/context.h"

namespace mt::lua {

// The name of the class whose metatable is at the index. Pushes nothing.
const char* name_of_class(lua_State* L, int index);
// The name of the class whose constructor has the metatable on top of the stack.
const char* name_of_constructor(lua_State* L);
// The alphabetically first name of a loaded package.
const char* package_name(lua_State* L, int index);
// 'package:field' of a function or userdata; nullptr if no package has it.
const char* name_of_field(lua_State* L, Context& context, int index);
// Whether a Lua function is defined in the files of this library. Functions of packages are sent by name, because their upvalues may refer
// to data of this state.
bool is_ours(lua_State* L, Context& context, int index);
// 1 if FFI cdata is an int64_t, 2 if it is a uint64_t, 3 if it is a complex number, else 0.
int kind_of_number(lua_State* L, int index);
void push_integer_cdata(lua_State* L, uint64_t bits, bool is_signed);
void push_complex_cdata(lua_State* L, double real, double imaginary);

// Whether objects of the class whose metatable is on top of the stack serialise themselves, as for files.
bool writes_itself(lua_State* L, const Context& context);
// Calls a function of lua/threads/native.lua with the arguments on top of the stack; its results replace them.
void call_native(lua_State* L, const char* function, int results);

// Pushes the value with a name of the form 'kind:rest'.
void push_named(lua_State* L, Context& context, const char* text, size_t length);
// Pushes the metatable of a class.
void push_class(lua_State* L, Context& context, const char* name, size_t length);

// Pushes the path to the value at the index, which was reached from the object `parent`.
void push_path(lua_State* L, const Message& message, int anchors, int index, uint32_t parent, Travel travel);

}  // namespace mt::lua
