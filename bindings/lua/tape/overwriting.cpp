// Before a tensor is overwritten, the tape creates a tensor that represents its old value in the record. It also creates or renews nodes
// late, if the base of a view was written to.
#include "bindings/lua/state/collector_pacing.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/tape/recorded.h"
#include "bindings/lua/values/metatables.h"
#include "engine/ops/calls.h"

namespace mt::lua {

namespace {

// Whether the node of the tracked tensor at a stack index is up to date: if the tensor is a view, its base was not written to since.
// Returns false if only Lua can decide, which records the bases of views of views.
bool is_current(lua_State* L, int index) {
  constexpr int most_views = 8;
  const int top = lua_gettop(L);
  lua_getfenv(L, index);
  for (int seen = 0; seen < most_views; ++seen) {
    const int node = lua_gettop(L);
    const Variant* variant = variant_of(L, node);
    lua_getfield(L, node, view_field);
    const bool is_view = variant == nullptr || (variant->view && !lua_isboolean(L, -1));
    bool done = !is_view || variant == nullptr || !lua_isnil(L, -1);
    const bool current = !is_view;
    if (!done) {
      lua_rawgeti(L, node, slot::value(0));
      const Tensor* base = test_tensor(L, -1);
      if (base != nullptr && base->tracked()) {
        lua_rawgeti(L, node, slot::edge(0));
        lua_getfenv(L, -2);
        done = lua_rawequal(L, -1, -2) == 0;
      } else {
        done = true;
      }
    }
    if (done) {
      lua_settop(L, top);
      return current;  // false: Lua decides
    }
    lua_replace(L, node);
    lua_settop(L, node);
  }
  lua_settop(L, top);
  return false;
}

}  // namespace

void bring_up_to_date(lua_State* L, State& state, const Tensor& t, int index) {
  if (!state.tape.overwritten || !is_shared(t) || is_current(L, index)) return;
  lua_rawgeti(L, LUA_REGISTRYINDEX, state.tape.refresh);
  lua_pushvalue(L, index);
  lua_call(L, 1, 0);
}

bool is_shared(const Tensor& t) {
  return t.storage() != nullptr && is_inexact(t.dtype()) && t.storage()->references.load(std::memory_order_relaxed) > 1;
}

void adopt(lua_State* L, State& state, int index) {
  Tensor* t = test_tensor(L, index);
  if (t == nullptr || !box_of(*t).awaits_node) return;
  box_of(*t).awaits_node = false;
  t->set_tracked(false);
  lua_pushvalue(L, index);
  lua_rawgeti(L, LUA_REGISTRYINDEX, state.tape.adopt);
  lua_insert(L, -2);
  lua_call(L, 1, 0);
}

void adopt_arguments(lua_State* L, State& state, const Signature& signature, const Match& m, const Value* args) {
  luaL_checkstack(L, 4, "too many arguments");
  for (int i = 0; i < signature.count; ++i) {
    if (args[i].is_tensor()) adopt(L, state, m.args[i]);
    if (args[i].type == Value::Type::tensors) each_tensor(L, m.args[i], [&](int, Tensor&, int index) { adopt(L, state, index); });
  }
  for (int r = 0; r < signature.result_count; ++r) {
    if (m.results[r] != 0) adopt(L, state, m.results[r]);
  }
}

void follow_shared(lua_State* L, const State& state, int result_index) {
  if (state.tape.follow == LUA_NOREF) return;
  lua_rawgeti(L, LUA_REGISTRYINDEX, state.tape.follow);
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_pushvalue(L, result_index);
  lua_call(L, 2, 0);
}

int save_overwritten(lua_State* L, State& state, const Op& op, int result_index) {
  const OpRule* rule = rule_of(L, state, op);
  if (rule == nullptr) return 0;
  luaL_checkstack(L, 12, "too many arguments");
  NativeTape& tape = state.tape;
  tape.overwritten = true;
  Tensor& t = *test_tensor(L, result_index);
  lua_pushnil(L);  // slot for the tensor with the old value
  const int saved = lua_gettop(L);
  lua_pushnil(L);  // slot for its base
  if (t.tracked()) {
    bring_up_to_date(L, state, t, result_index);
    lua_getfenv(L, result_index);
    const Variant* variant = variant_of(L, saved + 2);
    if (variant == nullptr || variant->of == Variant::Of::leaf || variant->view) {
      lua_rawgeti(L, LUA_REGISTRYINDEX, tape.before);
      lua_pushlstring(L, rule->name.data(), rule->name.size());
      lua_pushvalue(L, result_index);
      lua_call(L, 2, 1);
      lua_replace(L, saved + 1);
    }
  }
  Tensor& old = push_tensor(L, state, t.dtype(), t.device());
  if (rule->keeps_arguments) {
    guarded(L, state, [&] { call_clone(state.hook, t, old); });
    state.collector.note_allocation(L, old);
  } else {
    guarded(L, state, [&] { call_set(state.hook, old, t); });
    join(old, t);
  }
  lua_replace(L, saved);
  if (t.tracked()) {
    lua_settop(L, saved + 1);
    lua_getfenv(L, result_index);
    if (!lua_isnil(L, saved + 1)) insert_node(L, state, *tape.overwriting);
    hang_node(L, old, saved);
  }
  lua_settop(L, saved + 1);
  return saved;
}

}  // namespace mt::lua
