// Devices in calls from Lua: their names as arguments, the libraries that add them, and copies of tensors on the CPU.
#pragma once

#include <string_view>

#include "bindings/lua/state/host_lua.h"
#include "engine/core/tensor.h"

namespace mt::lua {

struct State;

struct DeviceLoader {
  int load = LUA_NOREF;  // load(name) in Lua loads the library that adds the device or type with this name -> whether there is one
};

// Loads the library that adds the device or type with this name, if Lua knows one. Returns whether it was loaded now. Raises its errors as
// C++ errors, which name op and argument.
bool load_device(lua_State* L, const State& state, std::string_view name, std::string_view op, std::string_view argument);

// Removes the first argument, the name of a device, from the stack and returns the device; meta while the state infers sizes.
DeviceId device_argument(lua_State* L, State& state, const char* op);

// The tensor at a stack index; if it is on another device, first replaces it by a copy on the CPU.
const Tensor& bring_to_host(lua_State* L, State& state, int index);

}  // namespace mt::lua
