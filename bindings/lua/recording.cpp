#include "bindings/lua/recording.h"

#include <algorithm>

#include "bindings/lua/native_tape.h"

namespace mt::lua {
namespace {

bool alike(const Tensor& a, const Tensor& b) { return same_kind(a, b) && std::ranges::equal(a.sizes(), b.sizes()); }

// Version of what a value shares, as a number; nil when it is no tensor.
void push_version(lua_State* L, const Tensor* t) {
  if (t == nullptr)
    lua_pushnil(L);
  else
    lua_pushnumber(L, version_of(*t));
}

}  // namespace

void push_argument(lua_State* L, const State& state, const Param& p, int source, const Value& value) {
  if (value.type == Value::Type::sizes) {
    lua_createtable(L, value.count, 0);
    for (int k = 0; k < value.count; ++k) {
      push_integer(L, state, value.sizes[k]);
      lua_rawseti(L, -2, k + 1);
    }
  } else if (source != 0 && value.type != Value::Type::string && lua_type(L, source) == LUA_TSTRING && lua_isnumber(L, source)) {
    lua_pushnumber(L, lua_tonumber(L, source));
  } else if (source != 0) {
    lua_pushvalue(L, source);
  } else if (value.type == Value::Type::number) {
    const bool counted = p.takes(kind_index) || (p.takes(kind_dim) && value.number >= 0);
    lua_pushnumber(L, counted ? value.number + 1 : value.number);
  } else if (value.type == Value::Type::boolean) {
    lua_pushboolean(L, value.boolean);
  } else if (value.type == Value::Type::string) {
    lua_pushlstring(L, value.string, static_cast<size_t>(value.count));
  } else {
    lua_pushnil(L);
  }
}

int save_overwritten(lua_State* L, const State& state, int result_index) {
  if (state.before == LUA_NOREF) return 0;
  lua_rawgeti(L, LUA_REGISTRYINDEX, state.before);
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_pushvalue(L, result_index);
  lua_call(L, 2, 1);
  state.tape->overwritten = true;
  return lua_gettop(L);
}

bool is_shared(const Tensor& t) {
  return t.storage() != nullptr && is_float(t.dtype()) && t.storage()->references.load(std::memory_order_relaxed) > 1;
}

void adopt(lua_State* L, State& state, int index) {
  Tensor* t = test_tensor(L, index);
  if (t == nullptr || !box_of(*t).awaits_node) return;
  box_of(*t).awaits_node = false;
  t->set_tracked(false);
  lua_pushvalue(L, index);
  lua_rawgeti(L, LUA_REGISTRYINDEX, state.adopt);
  lua_insert(L, -2);
  lua_call(L, 1, 0);
}

void adopt_arguments(lua_State* L, State& state, const Signature& signature, const Match& m, const Value* args) {
  luaL_checkstack(L, 4, "too many arguments");
  for (int i = 0; i < signature.count; ++i) {
    if (args[i].is_tensor()) adopt(L, state, m.args[i]);
    if (args[i].type != Value::Type::tensors) continue;
    for (int k = 1; k <= args[i].count; ++k) {
      lua_rawgeti(L, m.args[i], k);
      adopt(L, state, lua_gettop(L));
      lua_pop(L, 1);
    }
  }
  for (int r = 0; r < signature.result_count; ++r) {
    if (m.results[r] != 0) adopt(L, state, m.results[r]);
  }
}

void follow_shared(lua_State* L, const State& state, int result_index) {
  if (state.before == LUA_NOREF) return;
  lua_rawgeti(L, LUA_REGISTRYINDEX, state.before);
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_pushvalue(L, result_index);
  lua_pushboolean(L, 1);
  lua_call(L, 3, 0);
}

namespace {

// Whether the history of the tracked tensor at a stack index is what its node says: if it is a view, nothing was written to what it is a
// view of since. False where Lua has to find out: it remembers what a view of views is a view of.
bool is_current(lua_State* L, const NativeTape& tape, int index) {
  constexpr int most_views = 8;
  const int top = lua_gettop(L);
  lua_getfenv(L, index);
  for (int seen = 0; seen < most_views; ++seen) {
    const int node = lua_gettop(L);
    const Variant* variant = variant_of(L, tape, node);
    bool done = variant != nullptr && !variant->view, current = done;
    if (variant == nullptr) {
      lua_rawgeti(L, node, slot::variant);
      if (lua_istable(L, -1)) lua_getfield(L, -1, "view");
      done = true;
      current = lua_toboolean(L, -1) == 0;
    }
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
      return current;
    }
    lua_replace(L, node);
    lua_settop(L, node);
  }
  lua_settop(L, top);
  return false;
}

// The variant by which this call is recorded here, if it is an ordinary one.
const Variant* ordinary(lua_State* L, const BoundOp& bound, const Match& m, const Value* args, Tensor* const* results, int overwritten) {
  const State& state = *bound.state;
  if (!state.tape->records || overwritten != 0) return nullptr;
  const Variant* variant = find_variant(state, *bound.op, args);
  if (variant == nullptr) return nullptr;
  const Tensor& result = *results[0];
  if (!is_float(result.dtype())) return nullptr;
  for (int i = 0; i < bound.op->decl->signature.count; ++i) {
    if (!args[i].is_tensor()) continue;
    const Tensor& t = *args[i].tensor;
    if (!t.tracked()) continue;
    if (variant->broadcast && !same_kind(t, result)) return nullptr;
    if (state.tape->overwritten && is_shared(t) && !is_current(L, *state.tape, m.args[i])) return nullptr;
  }
  if (variant->view && result.storage() != args[0].tensor->storage()) return nullptr;
  return variant;
}

// Puts what the node keeps of an argument, which is on top of the stack, into it.
void keep_argument(lua_State* L, State& state, Keep keep, const Tensor* t, int node, int i) {
  if (keep == Keep::size && t != nullptr) {
    lua_pop(L, 1);
    push_sizes(L, state, t->sizes());
  } else if (keep == Keep::type && t != nullptr) {
    const std::string_view name = info(t->dtype()).torch;
    lua_pop(L, 1);
    lua_pushliteral(L, "torch.");
    lua_pushlstring(L, name.data(), name.size());
    lua_pushliteral(L, "Tensor");
    lua_concat(L, 3);
  } else if (keep == Keep::value && t != nullptr) {
    lua_pushnumber(L, version_of(*t));
    lua_rawseti(L, node, slot::version(i));
  }
  lua_rawseti(L, node, slot::value(i));
}

// Pushes the node of an argument that was broadcast.
void push_broadcast(lua_State* L, State& state, int index, const Tensor& t) {
  const Variant& variant = *state.tape->broadcast;
  lua_createtable(L, variant.last_slot, 0);
  lua_pushnumber(L, ++state.tape->last_number);
  lua_rawseti(L, -2, slot::number);
  lua_rawgeti(L, LUA_REGISTRYINDEX, variant.table);
  lua_rawseti(L, -2, slot::variant);
  lua_getfenv(L, index);
  lua_rawseti(L, -2, slot::edge(0));
  push_sizes(L, state, t.sizes());
  lua_rawseti(L, -2, slot::value(0));
}

// Hangs a new node on the result at a stack index: what lua/autograd/tape.lua's `record` does.
void record_here(lua_State* L, const BoundOp& bound, const Variant& variant, const Match& m, const Value* args, Tensor& result,
                 int result_index) {
  State& state = *bound.state;
  const Signature& signature = bound.op->decl->signature;
  lua_createtable(L, variant.last_slot, 0);
  const int node = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, variant.table);
  lua_rawseti(L, node, slot::variant);
  if (variant.result != Keep::nothing) {
    lua_pushvalue(L, result_index);
    lua_rawseti(L, node, slot::result);
    lua_pushnumber(L, version_of(result));
    lua_rawseti(L, node, slot::result_version);
  }
  for (int i = 0; i < variant.arity; ++i) {
    const Tensor* t = args[i].is_tensor() ? args[i].tensor : nullptr;
    if (t != nullptr && t->tracked()) {
      if (variant.broadcast && !t->same_sizes(result))
        push_broadcast(L, state, m.args[i], *t);
      else
        lua_getfenv(L, m.args[i]);
      lua_rawseti(L, node, slot::edge(i));
    }
    if (variant.arguments[i] != Keep::nothing) {
      push_argument(L, state, signature.params[i], m.args[i], args[i]);
      keep_argument(L, state, variant.arguments[i], t, node, i);
    }
  }
  lua_pushnumber(L, ++state.tape->last_number);  // after those of what was broadcast
  lua_rawseti(L, node, slot::number);
  result.set_tracked(true);
  lua_setfenv(L, result_index);
}

}  // namespace

void record_call(lua_State* L, const BoundOp& bound, const Match& m, const Value* args, Tensor* const* results, const int* result_index,
                 int overwritten, int saved) {
  State& state = *bound.state;
  const Signature& signature = bound.op->decl->signature;
  if (const Variant* variant = ordinary(L, bound, m, args, results, overwritten)) {
    record_here(L, bound, *variant, m, args, *results[0], result_index[0]);
    return;
  }
  constexpr int first_arguments = 3;
  const Tensor* written = overwritten != 0 ? test_tensor(L, overwritten) : nullptr;  // it may be several arguments: x:cmul(x)
  const auto source_of = [&](int i) {
    return written != nullptr && args[i].is_tensor() && args[i].tensor == written ? saved : static_cast<int>(m.args[i]);
  };
  lua_rawgeti(L, LUA_REGISTRYINDEX, state.record);
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_pushinteger(L, signature.result_count);
  bool same = true;
  for (int i = 0; i < signature.count; ++i) {
    if (args[i].is_tensor()) same = same && alike(*args[i].tensor, *results[0]);
  }
  lua_pushboolean(L, same);
  const Tensor* first[first_arguments];
  for (int i = 0; i < first_arguments; ++i) {
    first[i] = i < signature.count && args[i].is_tensor() ? test_tensor(L, source_of(i)) : nullptr;
    if (first[i] != nullptr && first[i]->tracked())
      lua_getfenv(L, source_of(i));
    else
      lua_pushnil(L);
  }
  push_version(L, results[0]);
  for (const Tensor* t : first) push_version(L, t);
  for (int r = 0; r < signature.result_count; ++r) lua_pushvalue(L, result_index[r]);
  for (int i = 0; i < signature.count; ++i) push_argument(L, state, signature.params[i], source_of(i), args[i]);
  lua_call(L, 3 + 2 * first_arguments + 1 + signature.result_count + signature.count, 1);
  if (lua_istable(L, -1) && is_float(results[0]->dtype())) {
    results[0]->set_tracked(true);
    lua_setfenv(L, result_index[0]);
  } else {
    lua_pop(L, 1);
  }
}

}  // namespace mt::lua
