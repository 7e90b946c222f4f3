// Nodes of calls: their edges and saved values.
#include "bindings/lua/state/state.h"
#include "bindings/lua/tape/recorded.h"
#include "bindings/lua/values/numbers.h"
#include "bindings/lua/values/type_names.h"

namespace mt::lua {

namespace {

bool alike(const Tensor& a, const Tensor& b) { return same_kind(a, b) && a.same_sizes(b); }

}  // namespace

int push_blank(lua_State* L, const Variant& variant, int last_slot) {
  lua_createtable(L, last_slot, 0);
  push_variant(L, variant);
  lua_rawseti(L, -2, slot::variant);
  return lua_gettop(L);
}

void number_node(lua_State* L, State& state, int node) {
  lua_pushnumber(L, ++state.tape.last_number);
  lua_rawseti(L, node, slot::number);
}

int insert_node(lua_State* L, State& state, OpRule& rule) {
  const Variant& variant = variant_for(L, state, rule, 1);
  const int edge = lua_gettop(L), node = push_blank(L, variant, variant.last_slot);
  lua_pushvalue(L, edge);
  lua_rawseti(L, node, slot::edge(0));
  number_node(L, state, node);
  lua_replace(L, edge);
  return edge;
}

namespace {

// Pushes the node for the edge to a tracked argument, with nodes that reduce its gradient to the argument's type and sizes if needed.
void push_edge(lua_State* L, State& state, const OpRule& rule, const Tensor& t, int index, const Tensor& result) {
  lua_getfenv(L, index);
  if (!rule.broadcast || alike(t, result)) return;
  if (!same_kind(t, result)) {
    const int node = insert_node(L, state, *state.tape.conversion);
    push_kind(L, t);
    lua_rawseti(L, node, slot::value(1));
  }
  if (!t.same_sizes(result)) {
    const int node = insert_node(L, state, *state.tape.broadcast);
    push_sizes(L, state, t.sizes());
    lua_rawseti(L, node, slot::value(0));
  }
}

// Pushes a list of the nodes of a list's tracked tensors, at their positions, with the length of the list as element 0.
void push_edges(lua_State* L, int list) {
  lua_newtable(L);
  const int edges = lua_gettop(L);
  each_tensor(L, list, [&](int k, Tensor& t, int index) {
    if (!t.tracked()) return;
    lua_getfenv(L, index);
    lua_rawseti(L, edges, k);
  });
  lua_pushinteger(L, static_cast<lua_Integer>(lua_objlen(L, list)));
  lua_rawseti(L, edges, 0);
}

}  // namespace

bool keep_value(lua_State* L, State& state, Keep keep, const Tensor* t) {
  if (t == nullptr) return false;
  if (keep == Keep::value) {
    lua_pushnumber(L, version_of(*t));
    return true;
  }
  if (keep == Keep::size) {
    push_sizes(L, state, t->sizes());
    lua_replace(L, -2);
  } else if (keep == Keep::type) {
    push_type(L, *t);
    lua_replace(L, -2);
  }
  return false;
}

namespace {

// The same for a list: replaces it by a list of the saved values of its elements, and pushes a list of versions.
bool keep_list(lua_State* L, State& state, Keep keep) {
  const int list = lua_gettop(L), count = static_cast<int>(lua_objlen(L, list));
  lua_createtable(L, count, 0);
  lua_newtable(L);
  bool versioned = false;
  for (int k = 1; k <= count; ++k) {
    lua_rawgeti(L, list, k);
    if (keep_value(L, state, keep, test_tensor(L, -1))) {
      versioned = true;
      lua_rawseti(L, list + 2, k);
    }
    lua_rawseti(L, list + 1, k);
  }
  lua_remove(L, list);
  if (!versioned) lua_pop(L, 1);
  return versioned;
}

void keep_result(lua_State* L, State& state, const Recorded& call, const Variant& variant, int node) {
  bool versioned;
  if (call.results == 1) {
    lua_pushvalue(L, call.result_at[0]);
    versioned = keep_value(L, state, variant.result, call.result[0]);
  } else {
    lua_newtable(L);
    for (int r = variant.rest ? 1 : 0; r < call.results; ++r) {
      lua_pushvalue(L, call.result_at[r]);
      lua_rawseti(L, -2, static_cast<int>(lua_objlen(L, -2)) + 1);
    }
    versioned = keep_list(L, state, variant.result);
  }
  if (versioned) lua_rawseti(L, node, slot::result_version);
  lua_rawseti(L, node, slot::result);
}

}  // namespace

void push_given(lua_State* L, const State& state, const Recorded& call, int i) {
  if (call.params != nullptr)
    push_argument(L, state, call.params[i], call.at[i], call.args[i]);
  else
    lua_pushvalue(L, call.at[i]);
}

int push_call_node(lua_State* L, State& state, const OpRule& rule, const Variant& variant, const Recorded& call, uint32_t mask) {
  const Tensor& result = *call.result[0];
  const int node = push_blank(L, variant, variant.last_slot);
  if (variant.result != Keep::nothing) keep_result(L, state, call, variant, node);
  for (int i = 0; i < call.count; ++i) {
    if ((mask >> i & 1) != 0) {
      if (const Tensor* t = call.tensors[i])
        push_edge(L, state, rule, *t, call.at[i], result);
      else
        push_edges(L, call.at[i]);
      lua_rawseti(L, node, slot::edge(i));
    }
    if (i >= variant.arity || variant.arguments[i] == Keep::nothing) continue;
    push_given(L, state, call, i);
    const bool versioned =
        call.is_list(L, i) ? keep_list(L, state, variant.arguments[i]) : keep_value(L, state, variant.arguments[i], call.tensors[i]);
    if (versioned) lua_rawseti(L, node, slot::version(i));
    lua_rawseti(L, node, slot::value(i));
  }
  number_node(L, state, node);
  return node;
}

}  // namespace mt::lua
