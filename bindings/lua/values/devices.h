// Devices in calls from Lua: their names as arguments, the libraries that bring them, and copies of tensors on the CPU.
#pragma once

#include <string_view>

#include "bindings/lua/state/host_lua.h"
#include "engine/core/tensor.h"

namespace mt::lua {

struct State;

struct DeviceLoader {
  int load = LUA_NOREF;  // load(name), of Lua, loads the library with a device or a type of this name -> whether there is one
};

// Loads the library with the device or the type of this name, where Lua knows one: true when it has been loaded now. An error meanwhile is
// raised as a C++ error, which names op and argument.
bool load_device(lua_State* L, const State& state, std::string_view name, std::string_view op, std::string_view argument);

// The device whose name is the first argument, which is removed from the stack. While the state infers sizes, it is meta.
DeviceId device_argument(lua_State* L, State& state, const char* op);

// The tensor at a stack index; if it is on another device, a copy on the CPU takes its place.
const Tensor& bring_to_host(lua_State* L, State& state, int index);

}  // namespace mt::lua
