// The function that implements all ops in Lua: it matches the arguments with the op's signature, runs the op, and records it on the tape.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>

#include "bindings/lua/call/autocast.h"
#include "bindings/lua/call/composed_call.h"
#include "bindings/lua/call/lua_reader.h"
#include "bindings/lua/call/tracked_number.h"
#include "bindings/lua/state/collector_pacing.h"
#include "bindings/lua/state/errors.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/memory_account.h"
#include "bindings/lua/state/offers_garbage.h"
#include "bindings/lua/state/open.h"
#include "bindings/lua/tape/grad_mode.h"
#include "bindings/lua/tape/recording.h"
#include "bindings/lua/values/defaults.h"
#include "bindings/lua/values/metatables.h"
#include "engine/core/absent.h"
#include "engine/ops/pointwise.h"

namespace mt::lua {
namespace {

// The number of results of a reduction over all elements. It can be less than along a dimension: max then has no positions. The op leaves
// results that do not exist without dimensions.
int results_of_whole(Tensor* const* results, int count) {
  int made = 1;
  while (made < count && results[made]->dim() > 0) ++made;
  return made;
}

// A call with numbers alone, of an elementwise op, such as torch.exp(1), or of a reduction, such as torch.sum(5). Each number is passed as
// a tensor of one element, and the results are numbers. Pushes them and returns their number, or 0 if it is no such call.
int call_with_numbers(lua_State* L, const BoundOp& bound, const LuaArguments& arguments) {
  const Op& op = *bound.op;
  const int count = arguments.given;
  const bool reduces = op.decl->scalar && count == 1 && !bound.is_method;  // not x.sum(1), which lacks a colon
  if ((op.kernel.plan != plan_id<PointwisePlan> && !reduces) || count == 0) return 0;
  for (int i = 1; i <= count; ++i) {
    if ((arguments.kinds[i] & kind_number) == 0) return 0;
  }
  LuaArguments widened = arguments;
  for (int i = 1; i <= count; ++i) widened.kinds[i] |= kind_tensor;
  Match m;
  const auto fits = [&](const Pattern& p) { return p[0].target >= 0 && !p.self_twice && match(p, widened, m); };
  if (std::ranges::none_of(bound.patterns, fits)) return 0;
  Complex<double> numbers[Signature::max_results];
  bool are_complex[Signature::max_results];
  int made_count = 0;
  guarded(L, *bound.state, [&] {
    const Signature& signature = op.decl->signature;
    Tensor ones[Signature::max_params], made[Signature::max_results];
    Value args[Signature::max_params];
    ScalarValue rooms[Signature::max_params];
    for (int i = 0; i < signature.count; ++i) {
      const Param& p = signature.params[i];
      if (m.args[i] == 0) {
        set_default(args[i], p);
        continue;
      }
      if (!read_any_number(L, *bound.state, m.args[i], args[i], rooms[i])) {
        refuse_argument(op.decl->name, p.name, luaL_typename(L, m.args[i]), "a number");
      }
      if (p.takes(kind_tensor)) {
        ones[i] = one_element(args[i], args[i].type == Value::Type::element ? complex_of(DType::float64) : DType::float64, cpu_device);
        args[i] = Value(ones[i]);
      }
    }
    Tensor* results[Signature::max_results];
    for (int r = 0; r < Signature::max_results; ++r) results[r] = &made[r];
    Call call{op, {args, static_cast<size_t>(signature.count)}, {results, static_cast<size_t>(signature.result_count)}};
    call.as_number = reduces;
    call.hook = bound.state->hook;
    run_op(call);
    bound.state->compute_pending();
    made_count = results_of_whole(results, signature.result_count);
    for (int r = 0; r < made_count; ++r) {
      are_complex[r] = complex_dtypes.contains(made[r].dtype());
      if (are_complex[r])
        numbers[r] = *to_dtype(made[r], complex_of(DType::float64)).data<Complex<double>>();
      else
        numbers[r] = *to_dtype(made[r], DType::float64).data<double>();
    }
  });
  for (int r = 0; r < made_count; ++r) {
    if (are_complex[r])
      push_complex(L, *bound.state, numbers[r]);
    else
      lua_pushnumber(L, numbers[r].re);
  }
  return made_count;
}

void add_op(lua_State* L, State& state, const Op& op, std::string_view name, bool is_method, int forward) {
  push_op_upvalues(L, state, op, is_method, forward);
  lua_pushcclosure(L, call_op, 2);
  lua_pushlstring(L, name.data(), name.size());
  lua_insert(L, -2);
  lua_rawset(L, -3);
}

// Handles a call whose arguments fit no form. Returns the number of pushed values; raises an error if the call is invalid.
[[gnu::noinline]] int call_otherwise(lua_State* L, const BoundOp& bound, const LuaArguments& arguments) {
  const int count = arguments.given;
  if (const int numbers = call_with_numbers(L, bound, arguments); numbers > 0) return numbers;
  if (call_with_tracked_number(L, bound, count)) return 1;
  if (const int results = call_other_form(L, bound, count); results > 0) return results;
  refuse(L, bound, count);
}

// An out argument that matters to the tape: a tracked one, or one that is an argument of the op, too.
struct Overwritten {
  bool recorded = false;     // a tracked tensor is overwritten: the tape must forget how it was computed
  int index = 0, saved = 0;  // stack indices: the argument that is written in place, and the value that represents it on the tape
};

[[gnu::noinline]] void look_at_given(lua_State* L, const BoundOp& bound, const Value* args, const Tensor& result, int index,
                                     Overwritten& overwritten) {
  const Decl& decl = *bound.op->decl;
  bool is_argument = result.tracked();
  if (!is_argument && decl.differentiable && is_shared(result)) {
    follow_shared(L, *bound.state, index);
    is_argument = result.tracked();
  }
  for (int i = 0; i < decl.signature.count; ++i) is_argument = is_argument || (args[i].is_tensor() && args[i].tensor == &result);
  if (!is_argument) return;
  overwritten.recorded = overwritten.recorded || result.tracked();
  overwritten.saved = save_overwritten(L, *bound.state, *bound.op, index);
  overwritten.index = index;
}

// Frees new results of an op: results without a class have no finaliser.
[[gnu::noinline, gnu::cold]] void release_made(Tensor* const* results, int count, uint32_t given) {
  for (int r = 0; r < count; ++r) {
    if ((given >> r & 1) == 0) *results[r] = Tensor();
  }
}

// Saves the message of an op's exception.
[[gnu::noinline, gnu::cold]] void keep_failure(State& state, std::string_view op) {
  keep_message(state);
  const bool nameless = state.errors.message.starts_with("out of memory") || state.errors.message.starts_with("interrupted");
  if (nameless) state.errors.message.insert(0, concat(op, ": "));
}

// Copies results that will be returned as numbers to the CPU. Returns false on meta, which has no elements: then tensors are returned.
[[gnu::noinline, gnu::cold]] bool bring_numbers(Tensor* const* results, int count) {
  if (results[0]->device() == meta_device) return false;
  for (int r = 0, made = results_of_whole(results, count); r < made; ++r) *results[r] = on_host(*results[r]);
  return true;
}

[[gnu::noinline]] int push_numbers(lua_State* L, State& state, Tensor* const* results, int count) {
  const int made = results_of_whole(results, count);
  for (int r = 0; r < made; ++r) {
    const Tensor& t = *results[r];
    if (t.dtype() == DType::boolean)
      lua_pushboolean(L, *t.data<uint8_t>());
    else
      push_element(L, state, t, t.offset());
  }
  for (int r = 0; r < count; ++r) results[r]->clear();
  return made;
}

// Makes Lua objects of results that turned out not to be numbers.
[[gnu::noinline, gnu::cold]] void push_tensors(lua_State* L, State& state, Tensor** results, int* index, int count) {
  for (int r = 0; r < count; ++r) {
    Tensor& pushed = push_raw_tensor(L, state);
    pushed = std::move(*results[r]);
    results[r] = &pushed;
    index[r] = lua_gettop(L);
  }
}

// Adds a result to the ring of tensors that share its memory.
[[gnu::noinline]] void join_shared(Tensor& result, const Value* args, int count) {
  for (int i = 0; i < count; ++i) {
    if (args[i].is_tensor() && args[i].tensor->storage() == result.storage()) return join(result, *args[i].tensor);
  }
}

// Charges the memory of a result to the state.
inline void account_for(lua_State* L, State& state, const Tensor& result, bool given) {
  if (given)
    state.account.claim(result);
  else
    state.collector.note_allocation(L, result);
}

}  // namespace

int call_op(lua_State* L) {
  const BoundOp& bound = *static_cast<const BoundOp*>(lua_touserdata(L, lua_upvalueindex(1)));
  State& state = *bound.state;
  const Op& op = *bound.op;
  const Signature& signature = op.decl->signature;
  LuaArguments arguments(L);
  arguments.given = lua_gettop(L);
  if (arguments.given > max_args) refuse(L, bound, max_args);
  for (int i = 1; i <= arguments.given; ++i) arguments.look_at(i);
  Match m;
  bool found = false;
  if (!bound.is_method && ends_in_positions(L, arguments, arguments.given)) {
    --arguments.given;
    found = find_pattern(bound.patterns, arguments, m);
    if (found)
      lua_settop(L, arguments.given);
    else
      ++arguments.given;
  }
  if (!found && !find_pattern(bound.patterns, arguments, m)) return call_otherwise(L, bound, arguments);

  LuaReader reader(bound, arguments, m);
  reader.read();
  Value* const args = reader.values();
  if (signature.count > 0 && args[0].type == Value::Type::number) {
    if (const int numbers = call_with_numbers(L, bound, arguments); numbers > 0) return numbers;
  }
  if (state.autocast.active) [[unlikely]]
    cast_arguments(L, bound, m, args);
  if (bound.forward != LUA_NOREF) return call_composed(L, bound, m, args);

  if (state.grad_mode.has_lazy_nodes && state.grad_mode.enabled) adopt_arguments(L, state, signature, m, args);
  const bool tracked = state.grad_mode.records() && any_tracked(args, signature.count);
  const int result_count = signature.result_count;
  Tensor* results[Signature::max_results];
  int result_index[Signature::max_results];
  uint32_t given = 0;
  Overwritten overwritten;
  for (int r = 0; r < result_count; ++r) {
    if (m.results[r] == 0) continue;
    result_index[r] = m.results[r];
    results[r] = arguments.tensors[m.results[r]];
    given |= 1u << r;
    if (state.grad_mode.enabled && (tracked || results[r]->tracked()) && overwritten.index == 0)
      look_at_given(L, bound, args, *results[r], m.results[r], overwritten);
  }
  const bool recorded = tracked || overwritten.recorded;
  const int dim_param = bound.dim_param;
  const bool may_be_number = op.decl->scalar && (!tracked || !op.decl->differentiable) && (given & 1) == 0;
  bool as_number = may_be_number && (dim_param < 0 || !args[dim_param].given());
  if (recorded) luaL_checkstack(L, 3 * Signature::max_params + 8, "too many arguments");
  const uint8_t devices = arguments.devices | reader.devices() | state.defaults.device;
  // A reduction of all elements returns numbers, if nothing unusual happens: then its results need no Lua objects.
  const bool are_numbers = as_number && dim_param >= 0 && given == 0 && !recorded && devices == cpu_device && state.hook == nullptr;
  alignas(Tensor) std::byte room[Signature::max_results][sizeof(Tensor)];
  if (are_numbers) {
    for (int r = 0; r < result_count; ++r) results[r] = new (room[r]) Tensor;
  } else {
    for (int r = 0; r < result_count; ++r) {
      if ((given >> r & 1) != 0) continue;
      results[r] = &push_raw_tensor(L, state);
      result_index[r] = lua_gettop(L);
    }
  }
  bool failed = false;
  try {
    const OffersGarbage offer(L, state);
    Call call{op,
              {args, static_cast<size_t>(signature.count)},
              {results, static_cast<size_t>(result_count)},
              given,
              state.defaults.dtype,
              &state.generators,
              as_number,
              state.hook,
              state.defaults.device,
              devices == cpu_device ? cpu_device : unresolved_device};
    run_op(call);
    as_number = may_be_number && call.as_number;
    if (as_number && results[0]->device() != cpu_device) [[unlikely]]
      as_number = bring_numbers(results, result_count);
  } catch (...) {
    keep_failure(state, op.decl->name);
    failed = true;
    release_made(results, result_count, given);
  }
  if (failed) raise_message(L, state);
  if (as_number && results[0]->numel() == 1) return push_numbers(L, state, results, result_count);
  if (are_numbers) push_tensors(L, state, results, result_index, result_count);

  for (int r = 0; r < result_count; ++r) {
    if ((given >> r & 1) != 0) continue;
    if (!has_classes(state, *results[r]) && !try_to_make_classes(L, state, results[r]->dtype(), device_kind(results[r]->device())))
        [[unlikely]] {
      release_made(results, result_count, given);
      lua_error(L);
    }
    set_class(L, state, result_index[r], *results[r]);
    if (state.grad_mode.has_tape && is_shared(*results[r])) join_shared(*results[r], args, signature.count);
  }
  if (recorded && result_count > 0) record_call(L, bound, m, args, results, result_index, overwritten.index, overwritten.saved);
  // A reduction over all elements only returns the results that exist, also if they are tensors.
  const bool whole = op.decl->scalar && dim_param >= 0 && !args[dim_param].given() && given == 0;
  for (int r = 0; r < result_count; ++r) account_for(L, state, *results[r], (given >> r & 1) != 0);
  if (state.hook != nullptr) [[unlikely]]
    state.collector.note_bytes(L, state.hook->take_new_bytes());
  const int pushed = whole ? results_of_whole(results, result_count) : result_count;
  for (int r = 0; r < pushed; ++r) lua_pushvalue(L, result_index[r]);
  return pushed;
}

const BoundOp* BoundOps::find(const void* upvalue) const {
  const auto found = std::ranges::find(bound, upvalue, [](const BoundOp& op) { return static_cast<const void*>(&op); });
  return found != bound.end() ? &*found : nullptr;
}

void push_op_upvalues(lua_State* L, State& state, const Op& op, bool is_method, int forward) {
  state.ops.bound.push_back({&op, &state, is_method, forward, op.decl->signature.find("dim"), patterns_of(op, is_method)});
  lua_pushlightuserdata(L, &state.ops.bound.back());
  lua_pushlstring(L, op.decl->name.data(), op.decl->name.size());
}

void bind_op(lua_State* L, State& state, const Op& op, int functions, int methods, int forward) {
  std::string_view names = op.decl->alias, name = op.decl->name;
  for (;;) {
    lua_pushvalue(L, functions);
    add_op(L, state, op, name, false, forward);
    lua_pop(L, 1);
    if (op.decl->method != Method::none) {
      lua_pushvalue(L, methods);
      add_op(L, state, op, name, true, forward);
      lua_pop(L, 1);
    }
    if (names.empty()) break;
    const size_t blank = names.find(' ');
    name = names.substr(0, blank);
    names = blank == std::string_view::npos ? std::string_view() : names.substr(blank + 1);
  }
}

namespace {

int refuse_call(lua_State* L) {
  guarded(L, upvalue_state(L), [&] { refuse_absent(lua_tostring(L, lua_upvalueindex(2))); });
  return 0;
}

// The __index function of `functions` and `methods`: binds an op on its first use. A program uses few ops, and each collection of garbage
// visits all bound ones.
int bind_named(lua_State* L) {
  State& state = upvalue_state(L);
  const bool is_method = lua_toboolean(L, lua_upvalueindex(2)) != 0;
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  size_t length;
  const char* text = lua_tolstring(L, 2, &length);
  const std::string_view name(text, length);
  const Op* op = Registry::instance().find(name);
  if (op == nullptr && is_absent(name)) {
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushvalue(L, 2);
    lua_pushcclosure(L, refuse_call, 2);
    return 1;
  }
  if (op == nullptr || (is_method && op->decl->method == Method::none)) return 0;
  lua_settop(L, 2);
  lua_pushvalue(L, 1);
  add_op(L, state, *op, name, is_method, LUA_NOREF);
  lua_pushvalue(L, 2);
  lua_rawget(L, 1);
  return 1;
}

}  // namespace

void open_calls(lua_State* L, State& state) {
  // The library's table is on top of the stack. It gets `functions` and `methods`, the fallbacks of torch and of the tensor classes.
  for (const char* field : {"functions", "methods"}) {
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    lua_pushlightuserdata(L, &state);
    lua_pushboolean(L, std::string_view(field) == "methods");
    lua_pushcclosure(L, bind_named, 2);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    lua_setfield(L, -2, field);
  }
}

}  // namespace mt::lua
