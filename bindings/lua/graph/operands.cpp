#include "bindings/lua/graph/operands.h"

#include "bindings/lua/call/lua_arguments.h"
#include "bindings/lua/state/state.h"
#include "bindings/lua/values/boxes.h"
#include "bindings/lua/values/defaults.h"
#include "engine/core/device.h"

namespace mt::lua {
namespace {

Value value_of_sizes(Sizes sizes) {
  Value value;
  value.type = Value::Type::sizes;
  value.sizes = sizes.data();
  value.count = static_cast<int32_t>(sizes.size());
  return value;
}

Value text_value(lua_State* L, int index) {
  size_t length = 0;
  Value value;
  value.type = Value::Type::string;
  value.string = lua_tolstring(L, index, &length);
  value.count = static_cast<int32_t>(length);
  return value;
}

// A table of tensors, or of numbers.
Value list_value(lua_State* L, int index, uint16_t kinds, OperandLists& lists) {
  const size_t count = lua_objlen(L, index);
  if ((kinds & kind_tensors) != 0) {
    std::vector<Tensor*>& list = lists.tensors();
    list.resize(count);
    bool all = true;
    for (size_t i = 0; i < count; ++i) {
      lua_rawgeti(L, index, static_cast<int>(i) + 1);
      list[i] = test_tensor(L, -1);
      all = all && list[i] != nullptr;
      lua_pop(L, 1);
    }
    if (!all) return {};
    Value value;
    value.type = Value::Type::tensors;
    value.tensors = list.data();
    value.count = static_cast<int32_t>(count);
    return value;
  }
  if (count > max_dims) return {};
  std::vector<int64_t>& list = lists.sizes();
  list.resize(count);
  for (size_t i = 0; i < count; ++i) {
    lua_rawgeti(L, index, static_cast<int>(i) + 1);
    list[i] = static_cast<int64_t>(lua_tonumber(L, -1));
    lua_pop(L, 1);
  }
  return value_of_sizes(list);
}

}  // namespace

Value operand_at(lua_State* L, int index, uint16_t kinds, OperandLists& lists) {
  if (Tensor* const tensor = test_tensor(L, index)) return Value(*tensor);
  switch (lua_type(L, index)) {
    case LUA_TUSERDATA: {
      const StoragePtr* const storage = test_storage(L, index);
      if (storage == nullptr) return {};
      const Storage& s = *storage->get();
      if (s.dtype != DType::int64 || s.size > max_dims || s.device != cpu_device) return {};
      return value_of_sizes({s.elements<const int64_t>(), static_cast<size_t>(s.size)});
    }
    case LUA_TNUMBER:
      return Value(lua_tonumber(L, index));
    case LUA_TBOOLEAN: {
      Value value;
      value.type = Value::Type::boolean;
      value.boolean = lua_toboolean(L, index) != 0;
      return value;
    }
    case LUA_TSTRING:
      return text_value(L, index);
    case LUA_TTABLE:
      return list_value(L, index, kinds, lists);
    default:
      return {};
  }
}

RunSettings run_settings(const State& state) { return {state.hook, state.defaults.dtype, state.defaults.device, &state.generators}; }

}  // namespace mt::lua
