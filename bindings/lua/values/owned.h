// Objects of the engine that a userdata owns, until the collector or the end of the state releases them. A class describes them: the
// pointer that the userdata holds, a number that distinguishes it from other userdata, the registry key of the metatable, and what messages
// expect.
#pragma once

#include "bindings/lua/values/boxes.h"

namespace mt::lua {

template <class Class> struct OwnedBox {
  uint64_t magic = Class::magic;
  typename Class::Pointer object;
};

// Pushes a userdata without an object, and returns the pointer to set.
template <class Class> typename Class::Pointer& push_owned(lua_State* L) {
  auto* box = new (lua_newuserdata(L, sizeof(OwnedBox<Class>))) OwnedBox<Class>;
  luaL_getmetatable(L, Class::metatable);
  lua_setmetatable(L, -2);
  return box->object;
}

// The pointer of the userdata at a stack index, or null.
template <class Class> typename Class::Pointer* test_owned(lua_State* L, int index) {
  auto* box = test_box<OwnedBox<Class>>(L, index, Class::magic);
  return box != nullptr && box->object != nullptr ? &box->object : nullptr;
}

// Raises an error for other values.
template <class Class> typename Class::Pointer& check_owned(lua_State* L, int index) {
  auto* const object = test_owned<Class>(L, index);
  if (object == nullptr) luaL_argerror(L, index, Class::expected);
  return *object;
}

// Pushes the new metatable of a class.
template <class Class> void push_owned_metatable(lua_State* L) {
  luaL_newmetatable(L, Class::metatable);
  lua_pushcfunction(L, [](lua_State* state) {
    if (auto* const object = test_owned<Class>(state, 1)) object->reset();
    return 0;
  });
  lua_setfield(L, -2, "__gc");
}

}  // namespace mt::lua
