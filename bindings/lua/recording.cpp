#include "bindings/lua/recording.h"

#include <algorithm>

namespace mt::lua {
namespace {

bool alike(const Tensor& a, const Tensor& b) { return same_kind(a, b) && a.same_sizes(b); }

// A call as the recorder sees it.
struct Recorded {
  const Param* params = nullptr;  // of the op's signature, with their values; null where Lua calls
  const Value* args = nullptr;
  int count = 0, results = 0;
  int at[Signature::max_params];           // stack index of each argument, 0 where it was left out
  Tensor* tensors[Signature::max_params];  // the argument, if it is one
  int result_at[Signature::max_results];
  Tensor* result[Signature::max_results];

  bool is_list(lua_State* L, int i) const {
    if (tensors[i] != nullptr || at[i] == 0) return false;
    return args != nullptr ? args[i].type == Value::Type::tensors : lua_istable(L, at[i]) != 0;
  }
};

// Whether the history of the tracked tensor at a stack index is what its node says: if it is a view, nothing was written to what it is a
// view of since. False where Lua has to find out: it remembers what a view of views is a view of.
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
      return current;  // else Lua knows
    }
    lua_replace(L, node);
    lua_settop(L, node);
  }
  lua_settop(L, top);
  return false;
}

// Gives the tracked tensor at a stack index the node that it should have by now.
void bring_up_to_date(lua_State* L, State& state, const Tensor& t, int index) {
  if (!state.tape->overwritten || !is_shared(t) || is_current(L, index)) return;
  lua_rawgeti(L, LUA_REGISTRYINDEX, state.tape->refresh);
  lua_pushvalue(L, index);
  lua_call(L, 1, 0);
}

// Calls f with the position and the tensor of each element of the list at a stack index that is one, and with its stack index.
template <class F> void each_tensor(lua_State* L, int list, F&& f) {
  const auto count = static_cast<int>(lua_objlen(L, list));
  for (int k = 1; k <= count; ++k) {
    lua_rawgeti(L, list, k);
    if (Tensor* t = test_tensor(L, -1)) f(k, *t, lua_gettop(L));
    lua_pop(L, 1);
  }
}

// Which arguments are tracked, as a mask; their nodes are brought up to date.
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

// Pushes a new node without a number.
int push_blank(lua_State* L, const Variant& variant, int last_slot) {
  lua_createtable(L, last_slot, 0);
  push_variant(L, variant);
  lua_rawseti(L, -2, slot::variant);
  return lua_gettop(L);
}

// A node's number is taken when all its inputs have theirs.
void set_number(lua_State* L, State& state, int node) {
  lua_pushnumber(L, ++state.tape->last_number);
  lua_rawseti(L, node, slot::number);
}

// Puts a node of one of the tape's own ops, with one edge, in the place of the node on top of the stack.
int insert_node(lua_State* L, State& state, OpRule& rule) {
  const Variant& variant = variant_for(L, state, rule, 1);
  const int edge = lua_gettop(L), node = push_blank(L, variant, variant.last_slot);
  lua_pushvalue(L, edge);
  lua_rawseti(L, node, slot::edge(0));
  set_number(L, state, node);
  lua_replace(L, edge);
  return edge;
}

// Pushes the node of a tracked argument, whose gradient is folded back to the argument's type and sizes.
void push_edge(lua_State* L, State& state, const OpRule& rule, const Tensor& t, int index, const Tensor& result) {
  lua_getfenv(L, index);
  if (!rule.broadcast || alike(t, result)) return;
  if (!same_kind(t, result)) {
    const int node = insert_node(L, state, *state.tape->conversion);
    push_kind(L, t);
    lua_rawseti(L, node, slot::value(1));
  }
  if (!t.same_sizes(result)) {
    const int node = insert_node(L, state, *state.tape->broadcast);
    push_sizes(L, state, t.sizes());
    lua_rawseti(L, node, slot::value(0));
  }
}

// Pushes a list of the nodes of a list's tracked tensors, at their positions, and how long that list is as entry 0.
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

// What a node keeps of the value on top of the stack, which may be a tensor, takes its place. True with its version on top, if it has one.
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
    const std::string_view name = info(t->dtype()).torch;
    lua_pop(L, 1);
    lua_pushliteral(L, "torch.");
    lua_pushlstring(L, name.data(), name.size());
    lua_pushliteral(L, "Tensor");
    lua_concat(L, 3);
  }
  return false;
}

// The same of a list, which is copied: a list of what is kept of its elements, and a list of versions.
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

void push_given(lua_State* L, const State& state, const Recorded& call, int i) {
  if (call.params != nullptr)
    push_argument(L, state, call.params[i], call.at[i], call.args[i]);
  else
    lua_pushvalue(L, call.at[i]);
}

// Pushes the node of a call.
int push_node(lua_State* L, State& state, const OpRule& rule, const Variant& variant, const Recorded& call, uint32_t mask) {
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
  set_number(L, state, node);
  return node;
}

// Hangs the node on top of the stack, which is taken away, on a result. `view`: the stack index of what that is a view of, if it is one
// that was written to.
void attach(lua_State* L, const State& state, Tensor& t, int result, int view) {
  if (view != 0 && !lua_isnil(L, view)) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, state.tape->rebase);
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

// Hangs the node of one of several results on it. They hand their gradients to the op's node.
void attach_one(lua_State* L, State& state, int node, int position, Tensor& t, int result, int positions, int view) {
  const int stub = push_blank(L, *state.tape->one_of_several, slot::positions);
  lua_pushvalue(L, node);
  lua_rawseti(L, stub, slot::owner);
  lua_pushinteger(L, position);
  lua_rawseti(L, stub, slot::position);
  if (positions != 0) {  // which are left out where both end up as arguments: torch.sum(torch.max(x, 1))
    lua_pushvalue(L, positions);
    lua_rawseti(L, stub, slot::positions);
  }
  set_number(L, state, stub);
  attach(L, state, t, result, view);
}

// Hangs the node on top of the stack, which is taken away, on the results. `written` is one that is overwritten, by its stack index, and
// what it is a view of at `view`.
void attach_results(lua_State* L, State& state, const Recorded& call, int written, int view) {
  const auto viewed = [&](int r) { return call.result_at[r] == written ? view : 0; };
  if (call.results == 1) return attach(L, state, *call.result[0], call.result_at[0], viewed(0));
  const int node = lua_gettop(L);
  for (int r = 0; r < call.results; ++r) {
    if (!is_float(call.result[r]->dtype())) continue;
    attach_one(L, state, node, r + 1, *call.result[r], call.result_at[r], r == 0 ? call.result_at[1] : 0, viewed(r));
  }
  lua_settop(L, node - 1);
}

bool has_floats(const Recorded& call) {
  return std::any_of(call.result, call.result + call.results, [](const Tensor* t) { return is_float(t->dtype()); });
}

// Lua notes how a view was made that its node says too little of. `source`: the node of what it is a view of, by its stack index.
void describe_view(lua_State* L, const State& state, const OpRule& rule, const Recorded& call, int source) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, state.tape->describe);
  lua_pushlstring(L, rule.name.data(), rule.name.size());
  lua_pushvalue(L, call.result_at[0]);
  lua_pushvalue(L, call.at[0]);
  lua_pushvalue(L, source);
  for (int i = 1; i < call.count; ++i) push_given(L, state, call, i);
  lua_call(L, 3 + call.count, 0);
}

void record(lua_State* L, State& state, OpRule& rule, const Recorded& call, int written, int view) {
  if (!has_floats(call)) return;
  const uint32_t mask = find_tracked(L, state, call);
  const Variant& variant = variant_for(L, state, rule, mask);
  const Tensor* source = rule.view && call.count > 0 ? call.tensors[0] : nullptr;
  const bool is_view = source != nullptr && call.result[0]->storage() == source->storage();
  const bool described = is_view && rule.described && source->tracked() && call.results == 1;
  if (described) lua_getfenv(L, call.at[0]);
  const int node = push_node(L, state, rule, variant, call, mask), source_at = node - 1;
  if (rule.view && (!is_view || (rule.described && !described))) {  // a copy, or of nothing that is tracked
    lua_pushboolean(L, 0);
    lua_setfield(L, node, view_field);
  }
  attach_results(L, state, call, written, view);
  if (!described) return;
  describe_view(L, state, rule, call, source_at);
  lua_pop(L, 1);
}

// Overwritten with a constant, a tracked result loses its past.
void record_constant(lua_State* L, State& state, const Recorded& call, int written, int view) {
  if (call.results != 1 || !call.result[0]->tracked()) return;
  static const Op& zero = *Registry::instance().find("zero");
  OpRule* rule = rule_of(L, state, zero);
  Recorded constant = call;
  constant.count = 0;
  if (rule != nullptr) record(L, state, *rule, constant, written, view);
}

// Tells who listens of a call.
void tell(lua_State* L, const State& state, const OpRule& rule, const Recorded& call) {
  luaL_checkstack(L, Signature::max_params + Signature::max_results + 8, "too many arguments");
  lua_rawgeti(L, LUA_REGISTRYINDEX, state.tape->listener);
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

void hang_node(lua_State* L, Tensor& t, int index) {
  box_of(t).awaits_node = false;
  t.set_tracked(true);
  lua_setfenv(L, index);
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
    if (args[i].type == Value::Type::tensors) each_tensor(L, m.args[i], [&](int, Tensor&, int index) { adopt(L, state, index); });
  }
  for (int r = 0; r < signature.result_count; ++r) {
    if (m.results[r] != 0) adopt(L, state, m.results[r]);
  }
}

void follow_shared(lua_State* L, const State& state, int result_index) {
  if (state.tape->follow == LUA_NOREF) return;
  lua_rawgeti(L, LUA_REGISTRYINDEX, state.tape->follow);
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_pushvalue(L, result_index);
  lua_call(L, 2, 0);
}

int save_overwritten(lua_State* L, State& state, const Op& op, int result_index) {
  const OpRule* rule = rule_of(L, state, op);
  if (rule == nullptr) return 0;
  luaL_checkstack(L, 12, "too many arguments");
  NativeTape& tape = *state.tape;
  tape.overwritten = true;
  Tensor& t = *test_tensor(L, result_index);
  lua_pushnil(L);  // the old tensor's place
  const int saved = lua_gettop(L);
  lua_pushnil(L);  // what it is a view of
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
    guarded(L, state, [&] { old = copy_alike(t, t.dtype()); });
    note_allocation(L, state, old);
  } else {
    guarded(L, state, [&] { old = t; });
    old.set_tracked(false);
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

void record_call(lua_State* L, const BoundOp& bound, const Match& m, const Value* args, Tensor* const* results, const int* result_index,
                 int overwritten, int saved) {
  State& state = *bound.state;
  if (bound.rule == nullptr) bound.rule = rule_of(L, state, *bound.op);
  OpRule* rule = bound.rule;
  if (rule == nullptr) return;
  const Signature& signature = bound.op->decl->signature;
  const Tensor* written = overwritten != 0 ? test_tensor(L, overwritten) : nullptr;  // it may be several arguments: x:cmul(x)
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
  if (state.tape->listener != LUA_NOREF) tell(L, state, *rule, call);
}

namespace {

// record(op, count, results..., arguments...): a call of an op that declareOp or the registry knows
int record_from_lua(lua_State* L) {
  State& state = upvalue_state(L);
  OpRule& named = rule_at(L, state, 1);
  const double results = luaL_checknumber(L, 2);
  const int top = lua_gettop(L);
  luaL_argcheck(L, results >= 1 && results <= Signature::max_results && results <= top - 2, 2, "the number of results was expected");
  Recorded call;
  call.results = static_cast<int>(results);
  call.count = top - 2 - call.results;
  luaL_argcheck(L, call.count <= Signature::max_params, top, "too many arguments");
  if (state.tape->variant == LUA_NOREF) return luaL_error(L, "record: there is no tape");
  for (int r = 0; r < call.results; ++r) {
    call.result_at[r] = 3 + r;
    call.result[r] = test_tensor(L, 3 + r);
    luaL_argcheck(L, call.result[r] != nullptr, 3 + r, "a tensor was expected");
  }
  for (int i = 0; i < call.count; ++i) {
    const int at = call.at[i] = 3 + call.results + i;
    adopt(L, state, at);
    if (lua_istable(L, at)) each_tensor(L, at, [&](int, Tensor&, int index) { adopt(L, state, index); });
    call.tensors[i] = test_tensor(L, at);
  }
  OpRule* rule = named.known || named.op == nullptr ? &named : rule_of(L, state, *named.op);
  if (rule == nullptr) return luaL_error(L, "record: the tape has no rule for it");
  luaL_checkstack(L, 3 * Signature::max_params + 8, "too many arguments");
  record(L, state, *rule, call, 0, 0);
  return 0;
}

// anyTracked(...): whether one of these is a tracked tensor, or a list with one
int any_tracked_of(lua_State* L) {
  const int top = lua_gettop(L);
  bool found = false;
  for (int i = 1; !found && i <= top; ++i) {
    const Tensor* t = test_tensor(L, i);
    found = t != nullptr && t->tracked();
    if (lua_istable(L, i)) each_tensor(L, i, [&](int, Tensor& element, int) { found = found || element.tracked(); });
  }
  lua_pushboolean(L, found);
  return 1;
}

// new(op, edge, value, edge, value, ...) -> a node with these edges, which are nodes or nil, and these values kept
int new_node(lua_State* L) {
  State& state = upvalue_state(L);
  OpRule& rule = rule_at(L, state, 1);
  const int count = lua_gettop(L) / 2;  // pairs, and the op
  luaL_argcheck(L, count <= Signature::max_params, 2, "too many edges");
  if (!rule.known) return luaL_argerror(L, 1, "a declared op was expected");
  lua_settop(L, 1 + 2 * count);
  luaL_checkstack(L, 8, "too many edges");
  uint32_t mask = 0;
  for (int i = 0; i < count; ++i) {
    if (lua_isnil(L, 2 + 2 * i)) continue;
    luaL_argcheck(L, is_node(L, 2 + 2 * i), 2 + 2 * i, "a node was expected");
    mask |= uint32_t{1} << i;
  }
  const Variant& variant = variant_for(L, state, rule, mask);
  const int node = push_blank(L, variant, variant.last_slot);
  for (int i = 0; i < count; ++i) {
    lua_pushvalue(L, 2 + 2 * i);
    lua_rawseti(L, node, slot::edge(i));
    if (i >= variant.arity || variant.arguments[i] == Keep::nothing) continue;
    lua_pushvalue(L, 3 + 2 * i);
    if (keep_value(L, state, variant.arguments[i], test_tensor(L, -1))) lua_rawseti(L, node, slot::version(i));
    lua_rawseti(L, node, slot::value(i));
  }
  set_number(L, state, node);
  return 1;
}

// ofFunction(name, backward, edges, count) -> the node of a call of a program's own function of `count` arguments, whose gradients
// backward(gradient) gives; edges[i] is the node of argument i, or nil
int new_function_node(lua_State* L) {
  State& state = upvalue_state(L);
  luaL_checktype(L, 1, LUA_TSTRING);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  luaL_checktype(L, 3, LUA_TTABLE);
  const double given = luaL_checknumber(L, 4);
  luaL_argcheck(L, given >= 0 && given <= most_node_arguments, 4, "a number of arguments was expected");
  const int count = static_cast<int>(given);
  lua_settop(L, 4);
  const int node = push_blank(L, *state.tape->function, slot::result_version);
  lua_pushvalue(L, 1);
  lua_setfield(L, node, name_field);
  lua_pushvalue(L, 4);
  lua_setfield(L, node, arity_field);
  lua_pushvalue(L, 2);
  lua_rawseti(L, node, slot::result);
  for (int i = 0; i < count; ++i) {
    lua_rawgeti(L, 3, i + 1);
    if (is_node(L, -1))
      lua_rawseti(L, node, slot::edge(i));
    else
      lua_pop(L, 1);
  }
  set_number(L, state, node);
  return 1;
}

// hang(node, results, count): on the result, or of several a node that stands for each; what is no tensor of floats is left out
int hang_on_results(lua_State* L) {
  State& state = upvalue_state(L);
  luaL_argcheck(L, is_node(L, 1), 1, "a node was expected");
  luaL_checktype(L, 2, LUA_TTABLE);
  const double count = luaL_checknumber(L, 3);
  for (int r = 1; r <= count; ++r) {
    lua_settop(L, 3);
    lua_rawgeti(L, 2, r);
    Tensor* t = test_tensor(L, 4);
    if (t == nullptr || !is_float(t->dtype())) continue;
    if (count > 1) {
      attach_one(L, state, 1, r, *t, 4, 0, 0);
    } else {
      lua_pushvalue(L, 1);
      hang_node(L, *t, 4);
    }
  }
  return 0;
}

// setRecorder(functions and ops by name): what the tape asks of Lua, see native_tape.h
int set_recorder(lua_State* L) {
  State& state = upvalue_state(L);
  NativeTape& tape = *state.tape;
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  const struct {
    const char* name;
    int& reference;
  } functions[] = {{"variant", tape.variant}, {"refresh", tape.refresh},   {"before", tape.before},
                   {"rebase", tape.rebase},   {"describe", tape.describe}, {"follow", tape.follow}};
  const struct {
    const char* name;
    OpRule*& rule;
  } ops[] = {{"broadcast", tape.broadcast}, {"conversion", tape.conversion}, {"overwriting", tape.overwriting}};
  for (const auto& each : functions) {
    lua_getfield(L, 1, each.name);
    luaL_argcheck(L, lua_isfunction(L, -1), 1, each.name);
  }
  for (const auto& each : ops) {
    lua_getfield(L, 1, each.name);
    rule_at(L, state, lua_gettop(L));
  }
  lua_settop(L, 1);
  for (const auto& each : functions) {
    lua_getfield(L, 1, each.name);
    keep_reference(L, -1, each.reference);
  }
  for (const auto& each : ops) {
    lua_getfield(L, 1, each.name);
    each.rule = &rule_at(L, state, lua_gettop(L));
  }
  state.tapes = true;
  return 0;
}

int set_function(lua_State* L, int& reference) {
  lua_settop(L, 1);
  if (!lua_isnil(L, 1)) luaL_checktype(L, 1, LUA_TFUNCTION);
  keep_reference(L, 1, reference);
  return 0;
}

// setListener(f or nil): f(op, count, results..., arguments...) hears of each call that is recorded
int set_listener(lua_State* L) { return set_function(L, upvalue_state(L).tape->listener); }

// setWatcher(f): f(node, name, line, rule, ...) calls the rule of a node that knows the line that recorded it
int set_watcher(lua_State* L) { return set_function(L, upvalue_state(L).tape->watcher); }

int last_node_number(lua_State* L) {
  lua_pushnumber(L, upvalue_state(L).tape->last_number);
  return 1;
}

}  // namespace

void open_recording(lua_State* L, State& state) {
  add_function(L, state, "setRecorder", set_recorder);
  add_function(L, state, "setListener", set_listener);
  add_function(L, state, "setWatcher", set_watcher);
  add_function(L, state, "record", record_from_lua);
}

void add_node_makers(lua_State* L, State& state) {
  add_function(L, state, "new", new_node);
  add_function(L, state, "ofFunction", new_function_node);
  add_function(L, state, "hang", hang_on_results);
  add_function(L, state, "lastNumber", last_node_number);
  add_function(L, state, "anyTracked", any_tracked_of);
}

}  // namespace mt::lua
