// The functions that add parts of the library to its Lua module (module.cpp), from files without a header.
#pragma once

#include "bindings/lua/state/state.h"

namespace mt::lua {

void open_calls(lua_State* L, State& state);      // the ops: functions and methods
void open_declare(lua_State* L, State& state);    // ops declared in Lua, and information about ops
void open_operators(lua_State* L, State& state);  // operators of tensors, from the ops
void open_tensors(lua_State* L, State& state);    // functions of tensors that are not ops
void open_storages(lua_State* L, State& state);
void open_indexing(lua_State* L, State& state);
void open_random(lua_State* L, State& state);
void open_devices(lua_State* L, State& state);
void open_tape(lua_State* L, State& state);
void open_tensor_lists(lua_State* L, State& state);
void open_memory_limit(lua_State* L, State& state);

}  // namespace mt::lua
