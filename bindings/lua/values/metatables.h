// The metatables of tensors and storages, and new objects of these classes.
#pragma once

#include <cstdint>

#include "bindings/lua/state/state.h"
#include "bindings/lua/values/boxes.h"
#include "engine/core/device_kind.h"

namespace mt::lua {

struct Metatables {
  struct Classes {
    int tensor = LUA_NOREF, storage = LUA_NOREF;  // registry references
  };
  // Created on first use of a dtype on a device of the kind.
  Classes& of(DType dtype, KindId kind) { return classes_[kind][static_cast<int>(dtype)]; }
  const Classes& of(DType dtype, KindId kind) const { return classes_[kind][static_cast<int>(dtype)]; }

  int make = LUA_NOREF;  // the Lua function that creates them
  int generator = LUA_NOREF;
  int64_t pushed = 0;  // number of tensors and storages created in Lua so far: each costs the collector a finaliser

 private:
  Classes classes_[max_kinds][dtype_count];
};

void make_classes(lua_State* L, State& state, DType dtype, KindId kind);
// The same, for callers that must free memory after an error: returns false on failure, as on a full stack, with the error on top.
bool try_to_make_classes(lua_State* L, State& state, DType dtype, KindId kind);
inline const Metatables::Classes& classes_of(lua_State* L, State& state, DType dtype, DeviceId device) {
  const KindId kind = device_kind(device);
  const Metatables::Classes& classes = state.metatables.of(dtype, kind);
  if (classes.tensor == LUA_NOREF) [[unlikely]]
    make_classes(L, state, dtype, kind);
  return classes;
}
inline bool has_classes(const State& state, const Tensor& t) {
  return state.metatables.of(t.dtype(), device_kind(t.device())).tensor != LUA_NOREF;
}

// Pushes an empty tensor without a class; set_class sets that of its dtype and device.
inline Tensor& push_raw_tensor(lua_State* L, State& state) {
  ++state.metatables.pushed;
  auto* box = new (lua_newuserdata(L, sizeof(TensorBox))) TensorBox;
  return box->tensor;
}
inline void set_class(lua_State* L, State& state, int index, const Tensor& t) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, classes_of(L, state, t.dtype(), t.device()).tensor);
  lua_setmetatable(L, index < 0 ? index - 1 : index);
}
inline Tensor& push_tensor(lua_State* L, State& state, DType dtype, DeviceId device = cpu_device) {
  Tensor& t = push_raw_tensor(L, state);
  t.set_type(dtype, device);
  set_class(L, state, -1, t);
  return t;
}
void push_storage(lua_State* L, State& state, StoragePtr storage);

}  // namespace mt::lua
