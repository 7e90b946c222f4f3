// The types of tensors and storages: Lua classes for a dtype and a kind of device, and their names.
#pragma once

#include <string>

#include "bindings/lua/state/host_lua.h"
#include "engine/core/device_kind.h"
#include "engine/core/tensor.h"

namespace mt::lua {

// Whether such tensors have the same class, so that an object can become the other in place.
inline bool same_class(DType dtype, DeviceId device, DType other_dtype, DeviceId other_device) {
  return dtype == other_dtype && (device == other_device || device_kind(device) == device_kind(other_device));
}
inline bool same_class(const Tensor& a, const Tensor& b) { return same_class(a.dtype(), a.device(), b.dtype(), b.device()); }
inline bool same_class(const Tensor& a, const Storage& b) { return same_class(a.dtype(), a.device(), b.dtype, b.device); }

std::string type_name(const Tensor& t);         // 'torch.FloatTensor'
std::string type_name(const Storage& s);        // 'torch.FloatStorage'
void push_type(lua_State* L, const Tensor& t);  // 'torch.FloatTensor'
void push_kind(lua_State* L, const Tensor& t);  // type and device in one name: 'torch.FloatTensor on cpu'

// A dtype that Lua passes as its number, from 0.
inline DType dtype_argument(lua_State* L, int index) {
  const lua_Integer number = luaL_checkinteger(L, index);
  luaL_argcheck(L, number >= 0 && number < dtype_count, index, "expected a dtype");
  return static_cast<DType>(number);
}

}  // namespace mt::lua
