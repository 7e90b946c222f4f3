
#include <algorithm>

#include "bindings/lua/call/bound_op.h"
#include "bindings/lua/state/state.h"
#include "bindings/lua/tape/recorded.h"
#include "bindings/lua/values/numbers.h"
#include "engine/core/counting.h"

namespace mt::lua {

namespace {

// The mask of tracked arguments; brings their nodes up to date.
uint32_t find_tracked(lua_State* L, State& state, const Recorded& call) {
  uint32_t mask = 0;
  for (int i = 0; i < call.count; ++i) {
    if (const Tensor* t = call.tensors[i]) {
      if (!t->tracked()) continue;
      bring_up_to_date(L, state, *t, call.at[i]);
      mask |= uint32_t{1} << i;
    } else if (call.is_list(L, i)) {
      each_tensor(L, call.at[i], [&](int, Tensor& t, int index) {
        if (!t.tracked()) return;
        bring_up_to_date(L, state, t, index);
        mask |= uint32_t{1} << i;
      });
    }
  }
  return mask;
}

// Pops the node on top of the stack and attaches it to a result. `view`: the stack index of the base if the result is a view that was
// written to, else 0.
void attach(lua_State* L, const State& state, Tensor& t, int result, int view) {
  if (view != 0 && !lua_isnil(L, view)) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, state.tape.rebase);
    lua_insert(L, -2);
    lua_pushvalue(L, result);
    lua_insert(L, -2);
    lua_pushvalue(L, view);
    lua_insert(L, -2);
    lua_call(L, 3, 0);
  } else {
    hang_node(L, t, result);
  }
}

}  // namespace

void attach_one(lua_State* L, State& state, int node, int position, Tensor& t, int result, int positions, int view) {
  const int stub = push_blank(L, *state.tape.one_of_several, slot::positions);
  lua_pushvalue(L, node);
  lua_rawseti(L, stub, slot::owner);
  lua_pushinteger(L, position);
  lua_rawseti(L, stub, slot::position);
  if (positions != 0) {  // for calls that get both results as arguments: torch.sum(torch.max(x, 1))
    lua_pushvalue(L, positions);
    lua_rawseti(L, stub, slot::positions);
  }
  number_node(L, state, stub);
  attach(L, state, t, result, view);
}

namespace {

// Pops the node on top of the stack and attaches it to the results. `written` is the stack index of an overwritten result, and `view` that
// of its base.
void attach_results(lua_State* L, State& state, const Recorded& call, int written, int view) {
  const auto viewed = [&](int r) { return call.result_at[r] == written ? view : 0; };
  if (call.results == 1) return attach(L, state, *call.result[0], call.result_at[0], viewed(0));
  const int node = lua_gettop(L);
  for (int r = 0; r < call.results; ++r) {
    if (!is_inexact(call.result[r]->dtype())) continue;
    attach_one(L, state, node, r + 1, *call.result[r], call.result_at[r], r == 0 ? call.result_at[1] : 0, viewed(r));
  }
  lua_settop(L, node - 1);
}

bool has_floats(const Recorded& call) {
  return std::any_of(call.result, call.result + call.results, [](const Tensor* t) { return is_inexact(t->dtype()); });
}

// Records in Lua how a view was created, if its node has too little information. `source`: stack index of the base's node.
void describe_view(lua_State* L, const State& state, const OpRule& rule, const Recorded& call, int source) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, state.tape.describe);
  lua_pushlstring(L, rule.name.data(), rule.name.size());
  lua_pushvalue(L, call.result_at[0]);
  lua_pushvalue(L, call.at[0]);
  lua_pushvalue(L, source);
  for (int i = 1; i < call.count; ++i) push_given(L, state, call, i);
  lua_call(L, 3 + call.count, 0);
}

}  // namespace

void record(lua_State* L, State& state, OpRule& rule, const Recorded& call, int written, int view) {
  if (!has_floats(call)) return;
  const uint32_t mask = find_tracked(L, state, call);
  const Variant& variant = variant_for(L, state, rule, mask);
  const Tensor* source = rule.view && call.count > 0 ? call.tensors[0] : nullptr;
  const bool is_view = source != nullptr && call.result[0]->storage() == source->storage();
  const bool described = is_view && rule.described && source->tracked() && call.results == 1;
  if (described) lua_getfenv(L, call.at[0]);
  const int node = push_call_node(L, state, rule, variant, call, mask), source_at = node - 1;
  if (rule.view && (!is_view || (rule.described && !described))) {  // a copy, or a view of an untracked tensor
    lua_pushboolean(L, 0);
    lua_setfield(L, node, view_field);
  }
  attach_results(L, state, call, written, view);
  if (!described) return;
  describe_view(L, state, rule, call, source_at);
  lua_pop(L, 1);
}

namespace {

// Records that a tracked result was overwritten by a constant: it gets a node without inputs.
void record_constant(lua_State* L, State& state, const Recorded& call, int written, int view) {
  if (call.results != 1 || !call.result[0]->tracked()) return;
  static const Op& zero = *Registry::instance().find("zero");
  OpRule* rule = rule_of(L, state, zero);
  Recorded constant = call;
  constant.count = 0;
  if (rule != nullptr) record(L, state, *rule, constant, written, view);
}

// Calls the listener for a call.
void tell(lua_State* L, const State& state, const OpRule& rule, const Recorded& call) {
  luaL_checkstack(L, Signature::max_params + Signature::max_results + 8, "too many arguments");
  lua_rawgeti(L, LUA_REGISTRYINDEX, state.tape.listener);
  lua_pushlstring(L, rule.name.data(), rule.name.size());
  lua_pushinteger(L, call.results);
  for (int r = 0; r < call.results; ++r) lua_pushvalue(L, call.result_at[r]);
  for (int i = 0; i < call.count; ++i) push_given(L, state, call, i);
  lua_call(L, 2 + call.results + call.count, 0);
}

}  // namespace

void push_argument(lua_State* L, const State& state, const Param& p, int source, const Value& value) {
  if (value.type == Value::Type::sizes) {
    lua_createtable(L, value.count, 0);
    for (int k = 0; k < value.count; ++k) {
      push_integer(L, state, p.takes_counted_list() ? counted_from_1(value.sizes[k]) : value.sizes[k]);
      lua_rawseti(L, -2, k + 1);
    }
  } else if (source != 0 && value.type != Value::Type::string && lua_type(L, source) == LUA_TSTRING && lua_isnumber(L, source)) {
    lua_pushnumber(L, lua_tonumber(L, source));
  } else if (source != 0) {
    lua_pushvalue(L, source);
  } else if (value.type == Value::Type::number) {
    lua_pushnumber(L, counted_from_1(value.number, p));
  } else if (value.type == Value::Type::boolean) {
    lua_pushboolean(L, value.boolean);
  } else if (value.type == Value::Type::string) {
    lua_pushlstring(L, value.string, static_cast<size_t>(value.count));
  } else {
    lua_pushnil(L);
  }
}

void hang_node(lua_State* L, Tensor& t, int index) {
  box_of(t).awaits_node = false;
  t.set_tracked(true);
  lua_setfenv(L, index);
}

void record_call(lua_State* L, const BoundOp& bound, const Match& m, const Value* args, Tensor* const* results, const int* result_index,
                 int overwritten, int saved) {
  State& state = *bound.state;
  if (bound.rule == nullptr) bound.rule = rule_of(L, state, *bound.op);
  OpRule* rule = bound.rule;
  if (rule == nullptr) return;
  const Signature& signature = bound.op->decl->signature;
  if (overwritten != 0) ++state.tape.gradient_epoch;
  const Tensor* written = overwritten != 0 ? test_tensor(L, overwritten) : nullptr;  // it may be more than one argument: x:cmul(x)
  Recorded call;
  call.params = signature.params;
  call.args = args;
  call.count = signature.count;
  call.results = signature.result_count;
  for (int r = 0; r < call.results; ++r) {
    call.result_at[r] = result_index[r];
    call.result[r] = results[r];
  }
  for (int i = 0; i < call.count; ++i) {
    call.at[i] = m.args[i];
    call.tensors[i] = args[i].is_tensor() ? args[i].tensor : nullptr;
    if (written == nullptr || call.tensors[i] != written) continue;
    call.at[i] = saved;
    call.tensors[i] = test_tensor(L, saved);
  }
  const int view = saved != 0 ? saved + 1 : 0;
  if (rule->constant)
    record_constant(L, state, call, overwritten, view);
  else
    record(L, state, *rule, call, overwritten, view);
  if (state.tape.listener != LUA_NOREF) tell(L, state, *rule, call);
}

}  // namespace mt::lua
