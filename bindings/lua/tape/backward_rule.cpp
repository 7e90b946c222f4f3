// One node of a backward pass: runs its rule, as graphs or Lua functions, and passes the gradients to the nodes of the arguments.
#include <algorithm>

#include "bindings/lua/state/collector_pacing.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/tape/backward_pass.h"
#include "bindings/lua/tape/grad_mode.h"
#include "bindings/lua/values/metatables.h"
#include "bindings/lua/values/numbers.h"
#include "engine/graph/executor.h"
#include "engine/ops/accumulate.h"

namespace mt::lua {
namespace {

// Runs the graph of a rule, whose saved values begin at stack index `kept`. If `held` is not null and the last step can accumulate, adds
// the result to `held` and returns true; else sets `given`, which must be empty, and returns false.
bool run_rule_graph(lua_State* L, const State& state, const Executor& rule, int kept, Tensor& g, Tensor* held, Tensor& given) {
  constexpr size_t most_inputs = Signature::max_params + 2;
  const size_t count = rule.graph().inputs.size();
  alignas(Value) std::byte room[most_inputs * sizeof(Value)];
  auto* inputs = reinterpret_cast<Value*>(room);
  new (&inputs[0]) Value(g);
  OperandLists& lists = state.tape.lists;
  lists.clear();
  for (size_t i = 1; i < count; ++i) {
    new (&inputs[i]) Value;
    if (rule.reads(i)) inputs[i] = operand_at(L, kept + static_cast<int>(i) - 1, rule.graph().inputs[i].kinds, lists);
  }
  Destination destination{nullptr, held, 1, false};
  const std::span<const Value> values{inputs, count};
  if (rule.results() == 1) {
    rule.run(run_settings(state), values, &given, &destination);
    return destination.added;
  }
  GraphResults results(rule);
  rule.run(run_settings(state), values, results.tensors(), &destination);
  if (!destination.added) given = rule.output(0, values, results.tensors());
  return destination.added;
}

// A node whose rule runs; node, kept and gradient are stack indices.
struct Running {
  const Variant& variant;
  int node, place;
  int kept;      // of the saved values: the result, then the arguments
  int gradient;  // of the gradient as a tensor of Lua; 0: not pushed yet
  bool marked;   // has a program line: Lua's watcher runs its rule
  // A rule gives the derivative of a function of complex numbers, as if it were one of real numbers. The gradient is the conjugate of that
  // for the conjugate of the result's gradient (lua/autograd/rules/init.lua).
  bool conjugates;
};

// Whether the value at a stack index is complex, or one of the tensors in a list there, such as several results.
bool is_complex_value(lua_State* L, const State& state, int index) {
  if (const Tensor* t = test_tensor(L, index)) return complex_dtypes.contains(t->dtype());
  if (!lua_istable(L, index)) return is_complex_number(L, state, index);
  bool found = false;
  const int count = static_cast<int>(lua_objlen(L, index));
  for (int i = 1; i <= count && !found; ++i) {
    lua_rawgeti(L, index, i);
    const Tensor* t = test_tensor(L, -1);
    found = t != nullptr && complex_dtypes.contains(t->dtype());
    lua_pop(L, 1);
  }
  return found;
}

// Whether a saved value of a node that is no view, from stack index `kept` on, is complex. Without one the rule is the same for complex
// numbers.
bool keeps_complex(lua_State* L, const State& state, const Variant& variant, int kept) {
  if constexpr (!has_complex_dtypes) return false;
  for (int i = kept; i <= kept + variant.arity; ++i) {
    if (is_complex_value(L, state, i)) return true;
  }
  return false;
}

// Replaces the tensor at a stack index by its conjugate if it is complex.
void conjugate(lua_State* L, const State& state, int index) {
  const Tensor* t = test_tensor(L, index);
  if (t == nullptr || !complex_dtypes.contains(t->dtype())) return;
  lua_rawgeti(L, LUA_REGISTRYINDEX, state.tape.conj);
  lua_pushvalue(L, index);
  lua_call(L, 1, 1);
  lua_replace(L, index);
}

// The same for a gradient of a node: a tensor, or a list of those of several results, of which it makes another list.
void conjugate_gradient(lua_State* L, const State& state, int index) {
  if (!lua_istable(L, index)) return conjugate(L, state, index);
  lua_newtable(L);
  const int list = lua_gettop(L);
  for (int i = 1; i <= Signature::max_results; ++i) {
    lua_rawgeti(L, index, i);
    conjugate(L, state, lua_gettop(L));
    lua_rawseti(L, list, i);
  }
  lua_replace(L, index);
}

const Executor* graph_of(const Variant& variant, int i) {
  const auto at = static_cast<size_t>(i);
  return at < variant.graphs.size() && variant.graphs[at] ? &*variant.graphs[at] : nullptr;
}

// Pushes the saved values of a node: the result, then the arguments.
int push_kept(lua_State* L, const Variant& variant, int node) {
  luaL_checkstack(L, variant.arity + 20, "backward");
  lua_rawgeti(L, node, slot::result);
  const int kept = lua_gettop(L);
  for (int i = 0; i < variant.arity; ++i) lua_rawgeti(L, node, slot::value(i));
  return kept;
}

// Runs the graph for an argument, and passes the gradient to the node at stack index `edge`.
void run_native(lua_State* L, State& state, Pass& pass, const Executor& rule, const Running& running, int edge) {
  const int pending = place_of(L, pass, edge);
  bool onto = false;
  guarded(L, state, [&] {
    Tensor* held = pending != 0 && is_exclusive(pass.gradient(pending)) ? &pass.gradient(pending) : nullptr;
    onto = run_rule_graph(L, state, rule, running.kept, pass.gradient(running.place), held, pass.made);
    if (!onto && pending != 0) add_at(state, pass, pending, pass.made);
  });
  if (!onto && pending == 0) pass.gradient(take_place(L, state, pass, edge)) = std::move(pass.made);
  pass.made.clear();
}

// Whether the tensor at a stack index, which the rule returned, is new: not one of its arguments, and not returned for another argument.
// `first` and `last`: the stack indices of all results.
bool is_fresh(lua_State* L, const Running& running, int index, int first, int last) {
  if (!running.variant.fresh) return false;
  if (lua_rawequal(L, index, running.gradient) != 0) return false;
  for (int i = running.kept; i <= running.kept + running.variant.arity; ++i) {
    if (lua_rawequal(L, index, i) != 0) return false;
  }
  for (int i = first; i <= last; ++i) {
    if (i != index && lua_rawequal(L, index, i) != 0) return false;
  }
  return true;
}

// Passes the gradient at a stack index to the node at `edge`.
void deliver_from_lua(lua_State* L, State& state, Pass& pass, const Running& running, int edge, int gradient, bool fresh) {
  Tensor* g = test_tensor(L, gradient);
  if (running.conjugates && g != nullptr && complex_dtypes.contains(g->dtype())) {
    conjugate(L, state, gradient);
    g = test_tensor(L, gradient);
    fresh = true;
  }
  if (g == nullptr) {
    push_node_name(L, running.node);
    luaL_error(L, "%s: backward: its rule returned a %s, expected a tensor", lua_tostring(L, -1), luaL_typename(L, gradient));
  }
  if (pass.create) return deliver_recorded(L, state, pass, edge, gradient);
  guarded(L, state, [&] { pass.made = *g; });
  if (fresh) {
    if (pass.made.storage() != nullptr) state.collector.note_freed(*pass.made.storage());
    g->clear();
  }
  deliver(L, state, pass, edge, pass.made);
}

// Passes the result of a rule for argument i, at stack index `given`, to the argument's node: a gradient, a list of gradients if the
// argument is a list of tensors, or nil.
void hand_on(lua_State* L, State& state, Pass& pass, const Running& running, int i, int given, int first, int last) {
  if (lua_isnoneornil(L, given)) return;
  const int edge = lua_gettop(L) + 1;
  lua_rawgeti(L, running.node, slot::edge(i));
  if (is_node(L, edge)) {
    if (!pass.selective || !is_left_out(L, pass, edge))
      deliver_from_lua(L, state, pass, running, edge, given, is_fresh(L, running, given, first, last));
  } else if (lua_istable(L, edge)) {
    if (!lua_istable(L, given)) luaL_error(L, meddled);
    const int count = edge_count(L, edge);
    for (int k = 1; k <= count; ++k) {
      lua_rawgeti(L, edge, k);
      lua_rawgeti(L, given, k);
      if (is_node(L, edge + 1) && !lua_isnil(L, edge + 2) && (!pass.selective || !is_left_out(L, pass, edge + 1)))
        deliver_from_lua(L, state, pass, running, edge + 1, edge + 2, false);
      lua_settop(L, edge);
    }
  }
  lua_settop(L, edge - 1);
}

// Pushes the function of a rule for argument i, or, if i is negative, for all arguments; returns false if there is none.
bool push_function(lua_State* L, const Variant& variant, int i) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, variant.rules);
  if (i >= 0)
    lua_rawgeti(L, -1, i + 1);
  else
    lua_getfield(L, -1, "all");
  lua_remove(L, -2);
  if (lua_isfunction(L, -1)) return true;
  lua_pop(L, 1);
  return false;
}

// Frees a gradient in Lua, or a list of them, to which nothing else refers.
void clear_gradient(lua_State* L, int gradient) {
  if (Tensor* g = test_tensor(L, gradient)) g->clear();
  for (int i = 1; lua_istable(L, gradient) && i <= Signature::max_results; ++i) {
    lua_rawgeti(L, gradient, i);
    if (Tensor* g = test_tensor(L, -1)) g->clear();
    lua_pop(L, 1);
  }
}

// Calls the function on top of the stack with the gradient and the saved values of the node.
void call_function(lua_State* L, const State& state, const Running& running, int results) {
  const int function = lua_gettop(L);
  int arguments = 1;
  if (running.marked) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, state.tape.watcher);
    lua_insert(L, function);
    lua_pushvalue(L, running.node);
    lua_insert(L, function + 1);
    lua_pushlstring(L, running.variant.name.data(), running.variant.name.size());
    if (running.variant.of == Variant::Of::function) {
      lua_pop(L, 1);
      lua_getfield(L, running.node, name_field);
    }
    lua_insert(L, function + 2);
    lua_getfield(L, running.node, line_field);
    lua_insert(L, function + 3);
    arguments += 4;
  }
  lua_pushvalue(L, running.gradient);
  if (running.variant.of != Variant::Of::function) {
    for (int i = 0; i <= running.variant.arity; ++i) lua_pushvalue(L, running.kept + i);
    arguments += 1 + running.variant.arity;
  }
  lua_call(L, arguments, results);
}

// Runs a rule that is one function for the gradients of all arguments.
void run_whole(lua_State* L, State& state, Pass& pass, Running& running) {
  const int top = lua_gettop(L);
  if (running.variant.of == Variant::Of::function) {
    lua_pushvalue(L, running.kept);
    if (!lua_isfunction(L, -1)) luaL_error(L, meddled);
  } else if (!push_function(L, running.variant, -1)) {
    luaL_error(L, meddled);
  }
  const int arity = arity_of(L, running.node);
  call_function(L, state, running, LUA_MULTRET);
  const int last = std::min(lua_gettop(L), top + arity);
  luaL_checkstack(L, 20, "backward");
  for (int i = 0; top + 1 + i <= last; ++i) hand_on(L, state, pass, running, i, top + 1 + i, top + 1, last);
  lua_settop(L, top);
}

// Runs a rule that has a graph or function for each argument.
void run_each(lua_State* L, State& state, Pass& pass, Running& running, bool native) {
  const Variant& variant = running.variant;
  const int top = lua_gettop(L);
  for (int i = 0; i < variant.arity; ++i, lua_settop(L, top)) {
    lua_rawgeti(L, running.node, slot::edge(i));
    if (!lua_istable(L, top + 1)) continue;
    if (pass.selective && is_node(L, top + 1) && is_left_out(L, pass, top + 1)) continue;
    if (const Executor* rule = native ? graph_of(variant, i) : nullptr) {
      run_native(L, state, pass, *rule, running, top + 1);
      continue;
    }
    if (!push_function(L, variant, i)) continue;
    if (running.gradient == 0) {
      push_gradient(L, state, pass, running.place);
      lua_replace(L, running.kept - 1);
      running.gradient = running.kept - 1;
    }
    call_function(L, state, running, 1);
    hand_on(L, state, pass, running, i, top + 2, top + 2, top + 2);
  }
}

}  // namespace

void run_rule(lua_State* L, State& state, Pass& pass, const Variant& variant, int node, int place, int lua_gradient) {
  lua_pushnil(L);  // slot for the gradient, if a function needs it
  const int gradient = lua_gettop(L);
  Running running{variant, node, place, 0, lua_gradient, false, false};
  if (state.tape.marked && state.tape.watcher != LUA_NOREF) {
    lua_getfield(L, node, line_field);
    running.marked = !lua_isnil(L, -1);
    lua_pop(L, 1);
  }
  running.kept = push_kept(L, variant, node);
  if (variant.keeps && !pass.unchecked && variant.of == Variant::Of::op) check_kept(L, variant, node, running.kept);
  running.conjugates = variant.of == Variant::Of::op && !variant.view && keeps_complex(L, state, variant, running.kept);
  const bool native = !pass.create && !running.marked && !running.conjugates;
  const bool whole = variant.whole || variant.of == Variant::Of::function;
  if ((whole || running.conjugates) && lua_gradient == 0) {
    push_gradient(L, state, pass, place);
    lua_replace(L, gradient);
    running.gradient = gradient;
  }
  if (running.conjugates) {
    lua_pushvalue(L, running.gradient);
    lua_replace(L, gradient);
    running.gradient = gradient;
    conjugate_gradient(L, state, gradient);
  }
  if (whole)
    run_whole(L, state, pass, running);
  else
    run_each(L, state, pass, running, native);
  // Nothing else refers to the gradient: free it now, not at the next collection.
  if (running.gradient == gradient && variant.fresh && !pass.create) clear_gradient(L, gradient);
  lua_settop(L, gradient - 1);
}

namespace {

// The argument, counted from 0, that Lua names at stack index 2, for the node at index 1; -1 if the node has no rule that can run for this
// argument alone.
int rule_argument(lua_State* L, const Variant* variant) {
  const double position = lua_tonumber(L, 2);
  if (variant == nullptr || variant->of != Variant::Of::op || variant->whole) return -1;
  return position >= 1 && position <= variant->arity ? static_cast<int>(position) - 1 : -1;
}

// addByRule(node, i, gradient, sum) -> whether the rule for argument i (from 1) is a graph; if so, adds its result to the tensor `sum`.
// Doesn't check saved tensors for changes.
int add_by_rule(lua_State* L) {
  State& state = upvalue_state(L);
  luaL_argcheck(L, is_node(L, 1), 1, "expected a node");
  lua_settop(L, 4);
  Tensor *g = test_tensor(L, 3), *sum = test_tensor(L, 4);
  const Variant* variant = variant_of(L, 1);
  const int i = rule_argument(L, variant);
  const Executor* rule = i >= 0 ? graph_of(*variant, i) : nullptr;
  const bool can = rule != nullptr && g != nullptr && sum != nullptr;
  if (can) {
    const int kept = push_kept(L, *variant, 1);
    guarded(L, state, [&] {
      Tensor made;
      Tensor* held = same_kind(*g, *sum) ? sum : nullptr;
      if (!run_rule_graph(L, state, *rule, kept, *g, held, made)) add_scaled(state.hook, *sum, made);
    });
  }
  lua_pushboolean(L, can);
  return 1;
}

// gradientBy(node, i, gradient) -> the gradient by argument i, by the node's rule; doesn't check saved tensors for changes
int gradient_by(lua_State* L) {
  State& state = upvalue_state(L);
  luaL_argcheck(L, is_node(L, 1), 1, "expected a node");
  lua_settop(L, 3);
  Tensor* g = test_tensor(L, 3);
  const Variant* variant = variant_of(L, 1);
  const int i = rule_argument(L, variant);
  if (i < 0 || g == nullptr) return 0;
  const int kept = push_kept(L, *variant, 1);
  if (const Executor* rule = state.grad_mode.enabled ? nullptr : graph_of(*variant, i)) {
    Tensor& result = push_tensor(L, state, g->dtype(), g->device());
    guarded(L, state, [&] { run_rule_graph(L, state, *rule, kept, *g, nullptr, result); });
    set_class(L, state, -1, result);
    state.collector.note_allocation(L, result);
    return 1;
  }
  if (!push_function(L, *variant, i)) return 0;
  lua_pushvalue(L, 3);
  for (int k = 0; k <= variant->arity; ++k) lua_pushvalue(L, kept + k);
  lua_call(L, 2 + variant->arity, 1);
  return 1;
}

// hangsOnLeaves(node) -> whether the node is of an op that is no view, has a rule per argument, all tracked arguments are leaves, and none
// of these nodes has hooks
int hangs_on_leaves(lua_State* L) {
  luaL_argcheck(L, is_node(L, 1), 1, "expected a node");
  lua_settop(L, 1);
  const Variant* variant = variant_of(L, 1);
  bool all = variant != nullptr && variant->of == Variant::Of::op && !variant->whole && !variant->view && !variant->refused &&
             variant->rules != LUA_NOREF && !is_released(L, 1) && !has_hooks(L, 1);
  for (int i = 0; all && i < variant->arity; ++i) {
    lua_settop(L, 1);
    lua_rawgeti(L, 1, slot::edge(i));
    if (!lua_istable(L, 2) || !push_function(L, *variant, i)) continue;
    const Variant* edge = is_node(L, 2) ? variant_of(L, 2) : nullptr;
    all = edge != nullptr && edge->of == Variant::Of::leaf && !has_hooks(L, 2);
  }
  lua_pushboolean(L, all);
  return 1;
}

}  // namespace

void add_node_rules(lua_State* L, State& state) {
  add_function(L, state, "addByRule", add_by_rule);
  add_function(L, state, "gradientBy", gradient_by);
  add_function(L, state, "hangsOnLeaves", hangs_on_leaves);
}

}  // namespace mt::lua
