#include "bindings/lua/call/composed_call.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <span>
#include <utility>

#include "bindings/lua/call/autocast.h"
#include "bindings/lua/call/bound_op.h"
#include "bindings/lua/state/c_stack.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/tape/recording.h"
#include "bindings/lua/values/defaults.h"

namespace mt::lua {
namespace {

// Calls x:name(argument) with the argument on top of the stack, and pops it.
void call_method(lua_State* L, int x, const char* name) {
  lua_getfield(L, x, name);
  lua_pushvalue(L, x);
  lua_pushvalue(L, -3);
  lua_call(L, 2, 0);
  lua_pop(L, 1);
}

// The message without the position in a Lua file that it may start with.
std::string_view without_place(std::string_view message) {
  constexpr std::string_view suffix = ".lua:";
  size_t at = message.find(suffix);
  if (at == std::string_view::npos || message.find(": ") < at) return message;
  at += suffix.size();
  while (at < message.size() && std::isdigit(static_cast<unsigned char>(message[at]))) ++at;
  return message.substr(at).starts_with(": ") ? message.substr(at + 2) : message;
}

// Whether a composed op called this one directly: its `forward` ended in a tail call. Then the caller raises errors of this op again.
bool is_called_by_composed(lua_State* L, const State& state) {
  lua_Debug ar;
  if (lua_getstack(L, 1, &ar) == 0) return false;
  lua_getinfo(L, "f", &ar);
  const bool has_upvalue = lua_iscfunction(L, -1) != 0 && lua_getupvalue(L, -1, 1) != nullptr;
  const void* upvalue = has_upvalue ? lua_touserdata(L, -1) : nullptr;
  lua_pop(L, has_upvalue ? 2 : 1);
  const BoundOp* op = state.ops.find(upvalue);
  return op != nullptr && op->forward != LUA_NOREF;
}

// Raises the error on top of the stack with the caller's position and the name of the composed op, whichever inner op failed. Finding the
// position needs a traversal of all ops that called each other, so only the outermost op does it: when recursion overflows the stack, each
// of thousands of calls would traverse the others.
[[noreturn]] void raise_in_name_of(lua_State* L, const BoundOp& bound) {
  if (lua_type(L, -1) == LUA_TSTRING) {
    const std::string_view name = bound.op->decl->name, message = without_place(lua_tostring(L, -1));
    if (is_called_by_composed(L, *bound.state))
      lua_pushliteral(L, "");
    else
      push_place(L, *bound.state);
    if (!message.starts_with(name) || !message.substr(name.size()).starts_with(": ")) {
      lua_pushvalue(L, lua_upvalueindex(2));
      lua_pushliteral(L, ": ");
      lua_concat(L, 3);
    }
    lua_pushlstring(L, message.data(), message.size());
    lua_concat(L, 2);
  }
  lua_error(L);
  std::abort();
}

// Raises an error if an op with a float result has an out argument of integers.
void check_float_result(lua_State* L, const BoundOp& bound, const Tensor* result) {
  const Decl& d = *bound.op->decl;
  if (d.result != Rule::float_result || is_float(result->dtype())) return;
  guarded(L, *bound.state, [&] { fail<Status::dtype>(d.name, d.signature.results[0], result->dtype(), ", expected a tensor of floats"); });
}

// The dtype of a call's first result by the rule of the declaration. None if arguments have several dtypes: then inner ops promote them. A
// sum of booleans is a count, so for booleans inner ops determine the dtype, too.
std::optional<DType> promised_dtype(const Decl& d, std::span<const Value> args) {
  if (d.result == Rule::mask) return DType::uint8;
  if (d.result == Rule::index) return DType::int64;
  if (d.result == Rule::custom || d.result == Rule::real || d.result == Rule::complex) return std::nullopt;
  std::optional<DType> common;
  bool alike = true;
  const auto note = [&](const Tensor& t) {
    const DType dtype = d.result == Rule::float_result ? float_for(t.dtype()) : t.dtype();
    alike = alike && common.value_or(dtype) == dtype;
    common = dtype;
  };
  for (const Value& v : args) {
    if (v.is_tensor()) note(*v.tensor);
    if (v.type == Value::Type::tensors) std::ranges::for_each(v.tensors, v.tensors + v.count, [&](const Tensor* t) { note(*t); });
  }
  return alike && common != DType::boolean ? common : std::nullopt;
}

// Converts the first result of a call, at stack index `returned`, to the dtype by the declaration.
void keep_promise(lua_State* L, const BoundOp& bound, std::optional<DType> promised, int returned) {
  const Tensor* result = test_tensor(L, returned);
  if (result == nullptr) return;
  if (!promised && bound.op->decl->result == Rule::float_result) promised = float_for(result->dtype());
  if (!promised || *promised == result->dtype()) return;
  if (*promised != real_part_of(*promised) && is_float(result->dtype())) return;  // such as a norm of complex numbers
  lua_getfield(L, returned, "to");
  lua_pushvalue(L, returned);
  lua_pushlstring(L, info(*promised).name.data(), info(*promised).name.size());
  if (lua_pcall(L, 2, 1, 0) != 0) raise_in_name_of(L, bound);
  lua_replace(L, returned);
}

// The device of the first tensor argument: new tensors in `forward` are on that device.
DeviceId device_of(const State& state, std::span<const Value> args) {
  for (const Value& v : args) {
    if (v.is_tensor()) return settled_device(v.tensor->device());
    if (v.type == Value::Type::tensors && v.count > 0) return settled_device(v.tensors[0]->device());
  }
  return state.defaults.device;
}

}  // namespace

int call_composed(lua_State* L, const BoundOp& bound, const Match& m, const Value* args) {
  State& state = *bound.state;
  const Signature& signature = bound.op->decl->signature;
  // Computed before the call, because `forward` may remove tensors from a list.
  const std::optional<DType> promised = promised_dtype(*bound.op->decl, {args, static_cast<size_t>(signature.count)});
  if (m.results[0] != 0) check_float_result(L, bound, test_tensor(L, m.results[0]));
  luaL_checkstack(L, Signature::max_params + 8, "too many arguments");
  check_c_stack(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, bound.forward);
  for (int i = 0; i < signature.count; ++i) push_argument(L, state, signature.params[i], m.args[i], args[i]);
  const int base = lua_gettop(L) - signature.count - 1;
  const DeviceId before = std::exchange(state.defaults.device, device_of(state, {args, static_cast<size_t>(signature.count)}));
  const bool casting =
      std::exchange(state.autocast.active, state.autocast.active && precision_of(state.autocast, *bound.op->decl) == Precision::as_given);
  const int failed = lua_pcall(L, signature.count, LUA_MULTRET, 0);
  state.autocast.active = casting;
  state.defaults.device = before;
  if (failed != 0) raise_in_name_of(L, bound);
  const int count = lua_gettop(L) - base;
  if (count > 0 && m.results[0] == 0) keep_promise(L, bound, promised, base + 1);
  for (int r = 0; r < signature.result_count && r < count; ++r) {
    if (m.results[r] == 0) continue;
    const int returned = base + 1 + r;
    if (test_tensor(L, returned) != nullptr) {
      lua_pushvalue(L, returned);
      call_method(L, m.results[r], "resizeAs");
      lua_pushvalue(L, returned);
      call_method(L, m.results[r], "copy");
    } else {
      lua_pushinteger(L, 1);
      call_method(L, m.results[r], "resize");
      lua_pushvalue(L, returned);
      call_method(L, m.results[r], "fill");
    }
    lua_pushvalue(L, m.results[r]);
    lua_replace(L, returned);
  }
  return count;
}

namespace {

constexpr const char* other_forms_key = "moontorch.other_forms";

}  // namespace

int call_other_form(lua_State* L, const BoundOp& bound, int count) {
  const int top = lua_gettop(L);
  luaL_checkstack(L, count + 4, "too many arguments");
  lua_getfield(L, LUA_REGISTRYINDEX, other_forms_key);
  if (lua_isnil(L, -1)) return 0;
  const std::string_view name = bound.op->decl->name;
  lua_pushlstring(L, name.data(), name.size());
  lua_pushboolean(L, bound.is_method);
  for (int i = 1; i <= count; ++i) lua_pushvalue(L, i);
  if (lua_pcall(L, count + 2, LUA_MULTRET, 0) != 0) raise_in_name_of(L, bound);
  return lua_gettop(L) - top;
}

int set_other_forms(lua_State* L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_setfield(L, LUA_REGISTRYINDEX, other_forms_key);
  return 0;
}

}  // namespace mt::lua
