#include "bindings/lua/values/numbers.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/lua_values.h"
#include "bindings/lua/values/boxes.h"
#include "bindings/lua/values/metatables.h"
#include "engine/core/arguments.h"
#include "engine/ops/calls.h"

namespace mt::lua {

void push_integer(lua_State* L, const State& state, int64_t value, bool is_unsigned) {
  constexpr int64_t exact = int64_t{1} << 53;
  if (value >= (is_unsigned ? 0 : -exact) && value <= exact) {
    lua_pushnumber(L, static_cast<double>(value));
    return;
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, state.numbers.box_integer);
  lua_pushnumber(L, static_cast<double>(value >> 32));
  lua_pushnumber(L, static_cast<double>(value & 0xffffffff));
  lua_pushboolean(L, is_unsigned);
  lua_call(L, 3, 1);
}

void push_sizes(lua_State* L, State& state, Sizes sizes) {
  Storage* storage = nullptr;
  guarded(L, state, [&] { storage = Storage::create(DType::int64, static_cast<int64_t>(sizes.size())); });
  std::copy(sizes.begin(), sizes.end(), storage->elements<int64_t>());
  push_storage(L, state, StoragePtr::adopt(storage));
}

void note_read(lua_State* L, State& state, const Tensor& t) {
  if (state.hook != nullptr) [[unlikely]]
    guarded(L, state, [&] { call_read(state.hook, t); });
}

void push_complex(lua_State* L, const State& state, Complex<double> value) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, state.numbers.box_complex);
  lua_pushnumber(L, value.re == value.re ? value.re : std::numeric_limits<double>::quiet_NaN());  // Lua encodes types in other NaNs
  lua_pushnumber(L, value.im == value.im ? value.im : std::numeric_limits<double>::quiet_NaN());
  lua_call(L, 2, 1);
}

// Returns the complex number at an address.
static Complex<double> complex_at(const std::byte* at, DType dtype) {
  return dispatch<complex_dtypes>(dtype, [at]<class T>(std::type_identity<T>) { return Complex<double>(*reinterpret_cast<const T*>(at)); });
}

void push_element(lua_State* L, State& state, const Tensor& t, int64_t offset) {
  const std::byte* at = t.storage()->data + offset * size_of(t.dtype());
  ScalarValue element;
  if (t.device() != cpu_device) [[unlikely]] {
    guarded(L, state, [&] { element = read_element(t, offset); });
    at = element.bytes;
  }
  if constexpr (has_complex_dtypes) {
    if (complex_dtypes.contains(t.dtype())) return push_complex(L, state, complex_at(at, t.dtype()));
  }
  if (size_of(t.dtype()) == sizeof(int64_t) && kind_of(t.dtype()) != NumberKind::real) {
    int64_t value;
    std::memcpy(&value, at, sizeof value);
    push_integer(L, state, value, kind_of(t.dtype()) == NumberKind::unsigned_integer);
    return;
  }
  lua_pushnumber(L, dispatch<compared_dtypes>(t.dtype(), [at]<class T>(std::type_identity<T>) {
                   return static_cast<double>(static_cast<Compute<T>>(*reinterpret_cast<const T*>(at)));
                 }));
}

namespace {

// What the Lua function `kind` returns.
enum class NumberData { other, integer, complex_doubles, complex_floats };

bool is_data(lua_State* L, int index) {
  constexpr int cdata = 10;  // LuaJIT's type of FFI objects
  return lua_type(L, index) == cdata;
}

NumberData kind_of_data(lua_State* L, const State& state, int index) {
  if (!is_data(L, index)) return NumberData::other;
  lua_rawgeti(L, LUA_REGISTRYINDEX, state.numbers.kind);
  lua_pushvalue(L, index < 0 ? index - 1 : index);
  lua_call(L, 1, 1);
  const auto kind = static_cast<NumberData>(lua_tointeger(L, -1));
  lua_pop(L, 1);
  return kind;
}

}  // namespace

bool read_number(lua_State* L, const State& state, int index, Value& value) {
  const int type = lua_type(L, index);
  if (type == LUA_TNUMBER || type == LUA_TSTRING) {
    if (type == LUA_TSTRING && !lua_isnumber(L, index)) return false;
    value.type = Value::Type::number;
    value.number = lua_tonumber(L, index);
    return true;
  }
  if (kind_of_data(L, state, index) != NumberData::integer) return false;
  value.type = Value::Type::integer;
  std::memcpy(&value.integer, lua_topointer(L, index), sizeof value.integer);
  return true;
}

bool is_complex_number(lua_State* L, const State& state, int index) { return kind_of_data(L, state, index) >= NumberData::complex_doubles; }

const char* number_text(lua_State* L, const State& state, int index) {
  if (kind_of_data(L, state, index) == NumberData::other || luaL_callmeta(L, index, "__tostring") == 0) return nullptr;
  return lua_tostring(L, -1);
}

bool read_any_number(lua_State* L, const State& state, int index, Value& value, ScalarValue& room) {
  if (read_number(L, state, index, value)) return true;
  if constexpr (has_complex_dtypes) {
    const NumberData kind = kind_of_data(L, state, index);
    if (kind != NumberData::complex_doubles && kind != NumberData::complex_floats) return false;
    const bool doubles = kind == NumberData::complex_doubles;
    const DType dtype = complex_of(doubles ? DType::float64 : DType::float32);
    std::memcpy(room.bytes, lua_topointer(L, index), static_cast<size_t>(size_of(dtype)));
    value = Value::of_element(dtype, room);
    return true;
  }
  return false;
}

bool read_sizes(lua_State* L, const State& state, int index, int last, std::string_view op, std::string_view argument, int64_t* sizes,
                int32_t* count) {
  int32_t n = 0;
  const auto take = [&](int64_t size) {
    if (n == max_dims) return false;
    sizes[n++] = size;
    return true;
  };
  Value value;
  const auto whole = [&] {
    if (value.type == Value::Type::integer) return value.integer;
    if (value.number != std::trunc(value.number)) refuse_fraction(value.number, op, argument);
    // Values too large for 64 bits must not become the least 64-bit integer.
    return value.number >= 0x1p63 ? INT64_MAX : value.as_int();
  };
  if (const StoragePtr* storage = test_storage(L, index)) {
    if ((*storage)->dtype != DType::int64) return false;
    for (int64_t i = 0; i < (*storage)->size; ++i) {
      if (!take(read_element(*storage->get(), i).as<int64_t>())) return false;
    }
  } else if (const Tensor* t = test_tensor(L, index)) {
    if (t->dtype() != DType::int64 || t->dim() > 1) return false;
    if (t->numel() > max_dims) return false;
    call_read(state.hook, *t);
    for (int64_t i = 0; i < t->numel(); ++i) {
      if (!take(read_element(*t, t->offset() + i * t->stride(0)).as<int64_t>())) return false;
    }
  } else if (lua_istable(L, index)) {
    if (has_only_fields(L, index) || is_class(L, index)) return false;
    for (int i = 1;; ++i) {
      lua_rawgeti(L, index, i);
      const bool end = lua_isnil(L, -1), good = !end && read_number(L, state, -1, value) && take(whole());
      lua_pop(L, 1);
      if (end) break;
      if (!good) return false;
    }
    if (const std::string_view field = field_of(L, index); !field.empty()) {
      refuse_argument(op, argument, concat("a table with the field ", field), "whole numbers alone",
                      field == "dtype" ? "; a type is an argument of its own: {2, 3}, 'float'" : "");
    }
  } else {
    const int first = index;
    for (; index <= last && read_number(L, state, index, value); ++index) {
      if (!take(whole())) return false;
    }
    if (index == first && first <= last && is_data(L, first)) return false;  // and no integer
  }
  *count = n;
  return true;
}

}  // namespace mt::lua
