#include "bindings/lua/values/type_names.h"

#include "engine/core/device.h"

namespace mt::lua {

std::string type_name(const Tensor& t) {
  std::string name;
  append_type(name, t.dtype(), device_kind(t.device()), "Tensor");
  return name;
}

std::string type_name(const Storage& s) {
  std::string name;
  append_type(name, s.dtype, device_kind(s.device), "Storage");
  return name;
}

void push_type(lua_State* L, const Tensor& t) {
  const KindId kind = device_kind(t.device());
  const std::string_view prefix = type_prefix(kind);
  const bool nameless = kind != plain_kind && t.dtype() == DType::float32;
  const std::string_view type = nameless ? "" : info(t.dtype()).torch;
  lua_pushliteral(L, "torch.");
  lua_pushlstring(L, prefix.data(), prefix.size());
  lua_pushlstring(L, type.data(), type.size());
  lua_pushliteral(L, "Tensor");
  lua_concat(L, 4);
}

void push_kind(lua_State* L, const Tensor& t) {
  push_type(L, t);
  lua_pushliteral(L, " on ");
  const std::string_view device = device_name(t.device());
  lua_pushlstring(L, device.data(), device.size());
  lua_concat(L, 3);
}

}  // namespace mt::lua
