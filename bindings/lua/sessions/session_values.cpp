// Values from C to a session, and functions that describe its content.
#include <climits>
#include <string_view>

#include "bindings/lua/sessions/session.h"
#include "bindings/lua/values/numbers.h"

namespace mt::lua {
namespace {

void check_value(const mt_session* session, const char* function, std::string_view argument, const mt_value& v) {
  const auto not_null = [&](const void* pointer) {
    if (pointer == nullptr) fail(function, argument, "NULL, expected an address");
  };
  const auto check_count = [&](int32_t most, const void* data) {
    if (v.count < 0 || v.count > most) fail<Status::range>(function, argument, "a count of ", v.count, ", expected 0..", most);
    if (v.count > 0) not_null(data);
  };
  switch (v.kind) {
    case MT_NONE:
    case MT_NUMBER:
    case MT_INTEGER:
    case MT_INDEX:
    case MT_DIM:
    case MT_BOOLEAN:
      return;
    case MT_TENSOR:
      return not_null(v.as.tensor);
    case MT_STRING:
      return check_count(INT32_MAX, v.as.string);
    case MT_SIZES:
      return check_count(max_dims, v.as.sizes);
    case MT_TENSORS:
      check_count(INT32_MAX, v.as.tensors);
      for (int32_t k = 0; k < v.count; ++k) not_null(v.as.tensors[k]);
      return;
    case MT_DTYPE:
      if (v.as.dtype < 0 || v.as.dtype >= dtype_count)
        fail<Status::dtype>(function, argument, v.as.dtype, ", expected 0..", dtype_count - 1);
      return;
    case MT_OBJECT:
      not_null(v.as.object);
      if (v.as.object->session != session) fail(function, argument, "an object of another session");
      return;
    case MT_GENERATOR:
      fail<Status::unsupported>(function, argument, "a generator of C; mt_session_seed seeds those of a session");
    default:
      fail(function, argument, v.kind, ", expected a kind of a value");
  }
}

}  // namespace

void check_arguments(const mt_session* session, const char* function, const Arguments& given) {
  constexpr int32_t most = 200;  // close to LuaJIT's limit
  if (given.count < 0 || given.count > most || (given.count > 0 && given.args == nullptr)) {
    fail(function, "arguments", given.count, " of them at ", given.args == nullptr ? "NULL" : "args", ", expected 0..", most);
  }
  if (given.named_count < 0 || (given.named_count > 0 && given.named == nullptr)) {
    fail(function, "arguments", given.named_count, " of them by name, at ", given.named == nullptr ? "NULL" : "named");
  }
  for (int32_t i = 0; i < given.count; ++i) check_value(session, function, concat("argument ", i + 1), given.args[i]);
  for (int32_t i = 0; i < given.named_count; ++i) {
    if (given.named[i].name == nullptr) fail(function, "arguments", "one without a name, expected a name for each");
    check_value(session, function, given.named[i].name, given.named[i].value);
  }
}

void push_value(lua_State* L, State& state, const mt_value& v) {
  switch (v.kind) {
    case MT_TENSOR:
      return push_shared(L, state, v.as.tensor->tensor);
    case MT_NUMBER:
      return lua_pushnumber(L, v.as.number);
    case MT_INTEGER:
    case MT_INDEX:
    case MT_DIM:
      return push_integer(L, state, v.as.integer);
    case MT_BOOLEAN:
      return lua_pushboolean(L, v.as.boolean != 0);
    case MT_STRING:
      return lua_pushlstring(L, v.as.string, static_cast<size_t>(v.count));
    case MT_SIZES:
      return push_sizes(L, state, {v.as.sizes, static_cast<size_t>(v.count)});
    case MT_TENSORS:
      lua_createtable(L, v.count, 0);
      for (int32_t k = 0; k < v.count; ++k) {
        push_shared(L, state, v.as.tensors[k]->tensor);
        lua_rawseti(L, -2, k + 1);
      }
      return;
    case MT_DTYPE: {
      const std::string_view name = info(static_cast<DType>(v.as.dtype)).name;
      return lua_pushlstring(L, name.data(), name.size());
    }
    case MT_OBJECT:
      return lua_rawgeti(L, LUA_REGISTRYINDEX, v.as.object->reference);
    default:
      return lua_pushnil(L);
  }
}

int push_arguments(lua_State* L, State& state, const Arguments& given) {
  luaL_checkstack(L, given.count + 8, "too many arguments");
  for (int32_t i = 0; i < given.count; ++i) push_value(L, state, given.args[i]);
  if (given.named_count == 0) return given.count;
  lua_createtable(L, 0, given.named_count);
  for (int32_t i = 0; i < given.named_count; ++i) {
    push_value(L, state, given.named[i].value);
    lua_setfield(L, -2, given.named[i].name);
  }
  return given.count + 1;
}

}  // namespace mt::lua
