#include "bindings/lua/call/autocast.h"

#include <algorithm>
#include <span>

#include "bindings/lua/call/bound_op.h"
#include "bindings/lua/state/collector_pacing.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/tape/grad_mode.h"
#include "bindings/lua/tape/native_tape.h"
#include "bindings/lua/tape/recorded.h"
#include "bindings/lua/values/metatables.h"
#include "bindings/lua/values/type_names.h"
#include "engine/core/decl_names.h"
#include "engine/ops/calls.h"

namespace mt::lua {
namespace {

// A program uses float64 on purpose: it is not cast, and promotes the other arguments.
bool is_castable(DType dtype) { return dtype == DType::float32 || dtype == DType::float16 || dtype == DType::bfloat16; }

// The common type for tensors, which each_tensor passes to a function; none if one of them is float64.
template <class Each> std::optional<DType> type_for(const Autocast& autocast, Precision precision, Each&& each_tensor) {
  std::optional<DType> widest;
  bool wider = false;
  each_tensor([&](const Tensor& t) {
    wider = wider || t.dtype() == DType::float64;
    if (is_castable(t.dtype())) widest = widest.value_or(t.dtype()) == t.dtype() ? t.dtype() : DType::float32;
  });
  if (wider || !widest) return std::nullopt;
  if (precision == Precision::low) return autocast.low;
  return precision == Precision::float32 ? DType::float32 : *widest;
}

bool is_leaf(lua_State* L, const Tensor& x, int index) {
  if (!x.tracked()) return false;
  lua_getfenv(L, index);
  const Variant* variant = is_node(L, -1) ? variant_of(L, lua_gettop(L)) : nullptr;
  lua_pop(L, 1);
  return variant != nullptr && variant->of == Variant::Of::leaf;
}

Tensor& push_converted(lua_State* L, State& state, const Tensor& x, DType to) {
  Tensor& made = push_tensor(L, state, to, x.device());
  guarded(L, state, [&] { call_to(state.hook, x, to, made); });
  state.collector.note_allocation(L, made);
  return made;
}

// Clears the cached conversions of parameters.
void renew_casts(lua_State* L, Autocast& autocast) {
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "k");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  luaL_unref(L, LUA_REGISTRYINDEX, autocast.casts);
  autocast.casts = luaL_ref(L, LUA_REGISTRYINDEX);
}

// Pushes the value of a parameter in another type: the cached one of an earlier call if the parameter has not changed since.
Tensor& push_kept(lua_State* L, State& state, const Tensor& x, int index, DType to) {
  if (state.autocast.casts == LUA_NOREF) renew_casts(L, state.autocast);
  lua_rawgeti(L, LUA_REGISTRYINDEX, state.autocast.casts);
  const int casts = lua_gettop(L);
  lua_pushvalue(L, index);
  lua_rawget(L, casts);
  if (lua_istable(L, -1)) {
    lua_rawgeti(L, -1, 1);
    lua_rawgeti(L, -2, 2);
    Tensor* kept = test_tensor(L, -2);
    if (kept != nullptr && same_kind(*kept, Tensor(to, x.device())) && lua_tonumber(L, -1) == version_of(x)) {
      lua_pop(L, 1);
      lua_replace(L, casts);
      lua_settop(L, casts);
      return *kept;
    }
  }
  lua_settop(L, casts);
  lua_pushvalue(L, index);
  lua_createtable(L, 2, 0);
  lua_pushnumber(L, version_of(x));
  lua_rawseti(L, -2, 2);
  Tensor& made = push_converted(L, state, x, to);
  lua_pushvalue(L, -1);
  lua_rawseti(L, -3, 1);
  lua_insert(L, casts);  // the tensor, casts, x, the entry
  lua_rawset(L, casts + 1);
  lua_settop(L, casts);
  return made;
}

// Pushes x in another type; the tape records the conversion.
Tensor& push_cast(lua_State* L, State& state, Tensor& x, int index, DType to) {
  const bool recorded = state.grad_mode.records() && x.tracked();
  if (recorded) bring_up_to_date(L, state, x, index);
  if (!is_leaf(L, x, index)) {
    Tensor& made = push_converted(L, state, x, to);
    if (!recorded) return made;
  } else {
    Tensor& kept = push_kept(L, state, x, index, to);
    Tensor& alias = push_tensor(L, state, to, x.device());
    guarded(L, state, [&] { alias = kept; });
    join(alias, kept);
    lua_remove(L, -2);
    if (!recorded) return alias;
  }
  const int cast = lua_gettop(L);
  lua_getfenv(L, index);
  const int node = insert_node(L, state, *state.tape.conversion);
  push_kind(L, x);
  lua_rawseti(L, node, slot::value(1));
  Tensor& made = *test_tensor(L, cast);
  hang_node(L, made, cast);
  return made;
}

// Pushes a copy of a list with its tensors in another type, and a block of memory with pointers to them.
void cast_list(lua_State* L, State& state, DType to, int& source, Value& value) {
  lua_createtable(L, value.count, 0);
  const int list = lua_gettop(L);
  const auto room = std::span(static_cast<Tensor**>(lua_newuserdata(L, static_cast<size_t>(value.count) * sizeof(Tensor*))),
                              static_cast<size_t>(value.count));
  for (int k = 0; k < value.count; ++k) {
    lua_rawgeti(L, source, k + 1);
    Tensor* t = test_tensor(L, -1);
    if (t == nullptr) luaL_error(L, "autocast: a list of tensors changed while it was read");
    if (is_castable(t->dtype()) && t->dtype() != to) {
      t = &push_cast(L, state, *t, list + 2, to);
      lua_replace(L, list + 2);
    }
    room[static_cast<size_t>(k)] = t;
    lua_rawseti(L, list, k + 1);
  }
  value.tensors = room.data();
  source = list;
}

}  // namespace

Precision precision_of(const Autocast& autocast, const Decl& decl) {
  if (autocast.assigned.empty()) return decl.precision;
  const auto found = autocast.assigned.find(decl.name);
  return found != autocast.assigned.end() ? found->second : decl.precision;
}

void cast_arguments(lua_State* L, const BoundOp& bound, Match& m, Value* args) {
  State& state = *bound.state;
  const Autocast& autocast = state.autocast;
  const Signature& signature = bound.op->decl->signature;
  const Precision precision = precision_of(autocast, *bound.op->decl);
  if (precision == Precision::as_given) return;
  if (std::any_of(m.results, m.results + signature.result_count, [](int8_t at) { return at != 0; })) return;
  const auto to = type_for(autocast, precision, [&](auto&& look) {
    for (const Value& v : std::span(args, static_cast<size_t>(signature.count))) {
      if (v.is_tensor()) look(*v.tensor);
      for (int k = 0; v.type == Value::Type::tensors && k < v.count; ++k) look(*v.tensors[k]);
    }
  });
  if (!to) return;
  luaL_checkstack(L, 2 * Signature::max_params + 16, "too many arguments");
  for (int i = 0; i < signature.count; ++i) {
    int source = m.args[i];
    if (args[i].is_tensor() && is_castable(args[i].tensor->dtype()) && args[i].tensor->dtype() != *to) {
      args[i].tensor = &push_cast(L, state, *args[i].tensor, source, *to);
      source = lua_gettop(L);
    } else if (args[i].type == Value::Type::tensors) {
      cast_list(L, state, *to, source, args[i]);
    }
    m.args[i] = static_cast<int8_t>(source);
  }
}

namespace {

// The precision with the name at a stack index. A program can't set "as given" by name.
Precision check_precision(lua_State* L, int index) {
  const auto* name = std::ranges::find(precision_names, std::string_view(luaL_checkstring(L, index)));
  luaL_argcheck(L, name != std::end(precision_names) && name != precision_names, index, "low, expected float32 or widest");
  return static_cast<Precision>(name - precision_names);
}

// autocast([type or false]) -> the previous low precision's name, or false
int set_autocast(lua_State* L) {
  State& state = upvalue_state(L);
  const bool was = state.autocast.active;
  const std::string_view low = info(state.autocast.low).name;
  if (!lua_isnone(L, 1)) {
    const std::string_view wanted = lua_toboolean(L, 1) != 0 ? luaL_checkstring(L, 1) : "";
    if (!wanted.empty()) {
      luaL_argcheck(L, wanted == "float16" || wanted == "bfloat16", 1, "expected float16 or bfloat16");
      state.autocast.low = wanted == "float16" ? DType::float16 : DType::bfloat16;
      state.autocast.used = true;
    }
    state.autocast.active = !wanted.empty();
  }
  if (was)
    lua_pushlstring(L, low.data(), low.size());
  else
    lua_pushboolean(L, 0);
  return 1;
}

// precision(op[, name or false]) -> the name of the op's previous precision, or nil if it had none
int op_precision(lua_State* L) {
  State& state = upvalue_state(L);
  size_t length = 0;
  const char* text = luaL_checklstring(L, 1, &length);
  const Op* op = find_op(state, {text, length});
  luaL_argcheck(L, op != nullptr, 1, "expected the name of an op");
  const Precision was = precision_of(state.autocast, *op->decl);
  if (!lua_isnone(L, 2)) {
    const Precision wanted = lua_toboolean(L, 2) != 0 ? check_precision(L, 2) : Precision::as_given;
    guarded(L, state, [&] { state.autocast.assigned.insert_or_assign(std::string(op->decl->name), wanted); });
  }
  if (was == Precision::as_given) return 0;
  const std::string_view name = precision_names[static_cast<int>(was)];
  lua_pushlstring(L, name.data(), name.size());
  return 1;
}

// castBy(precision, values...) -> the values, with tensors cast as for a call of an op with that precision
int cast_by(lua_State* L) {
  State& state = upvalue_state(L);
  const Precision precision = check_precision(L, 1);
  const int count = lua_gettop(L) - 1;
  luaL_checkstack(L, 16, "too many arguments");
  const auto to = type_for(state.autocast, precision, [&](auto&& look) {
    for (int i = 2; i <= count + 1; ++i) {
      if (const Tensor* t = test_tensor(L, i)) look(*t);
    }
  });
  for (int i = 2; to && i <= count + 1; ++i) {
    Tensor* t = test_tensor(L, i);
    if (t == nullptr || !is_castable(t->dtype()) || t->dtype() == *to) continue;
    push_cast(L, state, *t, i, *to);
    lua_replace(L, i);
  }
  return count;
}

// forgetCasts() clears the cached conversions of parameters
int forget_casts(lua_State* L) {
  renew_casts(L, upvalue_state(L).autocast);
  return 0;
}

}  // namespace

void open_autocast(lua_State* L, State& state) {
  add_function(L, state, "autocast", set_autocast);
  add_function(L, state, "precision", op_precision);
  add_function(L, state, "castBy", cast_by);
  add_function(L, state, "forgetCasts", forget_casts);
}

}  // namespace mt::lua
