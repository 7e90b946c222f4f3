// A hook that records the ops of a program, with their arguments and results.
#include "bindings/lua/call/call_trace.h"

#include "bindings/lua/state/lua_values.h"
#include "bindings/lua/state/modules.h"
#include "bindings/lua/state/state.h"
#include "engine/core/observing_hook.h"

namespace mt::lua {
namespace {

using SeenTensor = CallTrace::SeenTensor;
using SeenValue = CallTrace::SeenValue;

SeenTensor seen_tensor(const Tensor& t) {
  return {&t, t.storage(), t.dtype(), t.offset(), {t.sizes().begin(), t.sizes().end()}, {t.strides().begin(), t.strides().end()}};
}

SeenValue seen_value(const Value& value) {
  const auto count = static_cast<size_t>(value.count);
  switch (value.type) {
    case Value::Type::tensor:
      return seen_tensor(*value.tensor);
    case Value::Type::tensors: {
      std::vector<SeenTensor> list;
      for (size_t i = 0; i < count; ++i) list.push_back(seen_tensor(*value.tensors[i]));
      return list;
    }
    case Value::Type::number:
    case Value::Type::integer:
      return value.as_double();
    case Value::Type::boolean:
      return value.boolean;
    case Value::Type::string:
      return std::string(value.string, count);
    case Value::Type::sizes:
      return std::vector<int64_t>(value.sizes, value.sizes + count);
    case Value::Type::dtype:
      return std::string(info(value.dtype).name);
    case Value::Type::none:
    case Value::Type::generator:
    case Value::Type::element:
      break;
  }
  return {};
}

void push_address(lua_State* L, const void* address) { lua_pushnumber(L, static_cast<double>(reinterpret_cast<uintptr_t>(address))); }

void push(lua_State* L, double number) { lua_pushnumber(L, number); }
void push(lua_State* L, int64_t number) { lua_pushnumber(L, static_cast<double>(number)); }
void push(lua_State* L, bool flag) { lua_pushboolean(L, flag); }
void push(lua_State* L, std::monostate) { lua_pushnil(L); }
void push(lua_State* L, const std::string& text) { lua_pushlstring(L, text.data(), text.size()); }
void push(lua_State* L, const SeenTensor& t);

template <class T> void push(lua_State* L, const std::vector<T>& list) {
  lua_createtable(L, static_cast<int>(list.size()), 0);
  for (size_t i = 0; i < list.size(); ++i) {
    push(L, list[i]);
    lua_rawseti(L, -2, static_cast<int>(i) + 1);
  }
}

void push(lua_State* L, const SeenTensor& t) {
  lua_createtable(L, 0, 6);
  push_address(L, t.tensor);
  lua_setfield(L, -2, "tensor");
  push_address(L, t.storage);
  lua_setfield(L, -2, "storage");
  set_text(L, "dtype", info(t.dtype).torch);
  lua_pushnumber(L, static_cast<double>(t.offset));
  lua_setfield(L, -2, "offset");
  push(L, t.sizes);
  lua_setfield(L, -2, "sizes");
  push(L, t.strides);
  lua_setfield(L, -2, "strides");
}

// {op =, arguments = by name, results =, given = for each result, whether it was an out argument}
void push(lua_State* L, const CallTrace::SeenCall& call) {
  const Signature& signature = call.decl->signature;
  lua_createtable(L, 0, 4);
  set_text(L, "op", call.decl->name);
  lua_createtable(L, 0, signature.count);
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    const std::string_view name = signature.params[i].name;
    lua_pushlstring(L, name.data(), name.size());
    std::visit([L](const auto& value) { push(L, value); }, call.arguments[i]);
    lua_rawset(L, -3);
  }
  lua_setfield(L, -2, "arguments");
  push(L, call.results);
  lua_setfield(L, -2, "results");
  lua_createtable(L, static_cast<int>(call.results.size()), 0);
  for (size_t i = 0; i < call.results.size(); ++i) {
    lua_pushboolean(L, (call.given >> i & 1) != 0);
    lua_rawseti(L, -2, static_cast<int>(i) + 1);
  }
  lua_setfield(L, -2, "given");
}

// traceOps(true) begins a trace; traceOps(false) ends it -> the names of the ops that have run since, in order, and the calls. In calls,
// tensors and storages are addresses; positions and offsets count from 0.
int trace_ops(lua_State* L) {
  State& state = upvalue_state(L);
  const bool begin = lua_toboolean(L, 1) != 0;
  set_hook(L, state, nullptr);
  if (begin) {
    state.trace.seen.clear();
    set_hook(L, state, &state.trace);
    return 0;
  }
  const std::vector<CallTrace::SeenCall>& seen = state.trace.seen;
  lua_newtable(L);
  lua_newtable(L);
  for (size_t i = 0; i < seen.size(); ++i) {
    const std::string_view name = seen[i].decl->name;
    lua_pushlstring(L, name.data(), name.size());
    lua_rawseti(L, -3, static_cast<int>(i) + 1);
    push(L, seen[i]);
    lua_rawseti(L, -2, static_cast<int>(i) + 1);
  }
  state.trace.seen = {};
  return 2;
}

}  // namespace

void set_hook(lua_State* L, State& state, OpHook* hook) {
  const auto sees_elements = [](const OpHook* one) { return one != nullptr && dynamic_cast<const ObservingHook*>(one) == nullptr; };
  const bool watched = sees_elements(state.hook), watches = sees_elements(hook);
  if (watched != watches) {
    push_module(L, "torch.index.watched");
    lua_getfield(L, -1, "watch");
    lua_pushboolean(L, watches);
    lua_call(L, 1, 0);
    lua_pop(L, 1);
  }
  state.hook = hook;
}

void CallTrace::run(Call& call) {
  SeenCall& noted = seen.emplace_back();
  const size_t at = seen.size() - 1;
  noted.decl = call.op.decl;
  noted.given = call.given;
  for (const Value& value : call.args) noted.arguments.push_back(seen_value(value));
  plan_op(call);
  for (const Tensor* result : call.results) seen[at].results.push_back(seen_tensor(*result));
}

void open_call_trace(lua_State* L, State& state) { add_function(L, state, "traceOps", trace_ops); }

}  // namespace mt::lua
