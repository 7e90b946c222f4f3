// The backward pass: a loop over the waiting nodes, newest first, without recursion. Gradients are added in place if their memory is not
// shared, and are freed as soon as their node has run. User functions run inside the pass, and may start nested passes.
#include <algorithm>
#include <limits>
#include <memory>

#include "bindings/lua/call/autocast.h"
#include "bindings/lua/state/c_stack.h"
#include "bindings/lua/state/collector_pacing.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/tape/backward_pass.h"
#include "bindings/lua/tape/grad_mode.h"
#include "bindings/lua/values/boxes.h"
#include "engine/core/interrupt.h"

namespace mt::lua {
namespace {

constexpr auto older = [](const Pass::Waiting& a, const Pass::Waiting& b) { return a.number < b.number; };

// Frees a result to which only the graph refers: after its node has run, nothing reads it.
void let_transient_go(lua_State* L, State& state, int node) {
  lua_rawgeti(L, node, slot::transient);
  Tensor* t = test_tensor(L, -1);
  lua_pop(L, 1);
  if (t == nullptr) return;
  state.collector.release(*t);
  lua_pushnil(L);
  lua_rawseti(L, node, slot::transient);
}

// Frees the saved values and edges of a node that has run.
void release_node(lua_State* L, const Variant& variant, int node) {
  lua_pushboolean(L, 1);
  lua_rawseti(L, node, slot::released);
  if (variant.view) {
    lua_getfield(L, node, view_field);
    const bool is_view = !lua_isboolean(L, -1);
    lua_pop(L, 1);
    if (is_view) return;  // its node still describes the view
  }
  const bool is_function = variant.of == Variant::Of::function;
  const auto drop = [&](int at) {
    if (is_function) {
      lua_rawgeti(L, node, at);
      const bool none = lua_isnil(L, -1);
      lua_pop(L, 1);
      if (none) return;
    } else if (at > variant.last_slot) {
      return;  // setting nil would create the slot
    }
    lua_pushnil(L);
    lua_rawseti(L, node, at);
  };
  if (is_function || variant.result != Keep::nothing) drop(slot::result);
  const int arity = is_function ? arity_of(L, node) : variant.arity;
  for (int i = 0; i < arity; ++i) {
    drop(slot::edge(i));
    if (!is_function && variant.arguments[i] != Keep::nothing) drop(slot::value(i));
  }
}

// Raises an error if a node can't run.
void check_runnable(lua_State* L, const Variant& variant, int node) {
  if (is_released(L, node)) {
    lua_getfield(L, helpers_at, "refuseReleased");
    lua_pushvalue(L, node);
    lua_call(L, 1, 0);
  }
  if (!variant.refused) return;
  push_node_name(L, node);
  lua_rawgeti(L, LUA_REGISTRYINDEX, variant.rules);
  lua_getfield(L, -1, "missing");
  luaL_error(L, "%s: backward: %s", lua_tostring(L, -3), lua_isstring(L, -1) != 0 ? lua_tostring(L, -1) : "no derivative is known");
}

// Passes the gradient of a node to its hooks and to the table of wanted nodes. Returns the gradient's stack index; 0 if nothing needs it.
int show_gradient(lua_State* L, State& state, Pass& pass, int node, int place) {
  const bool hooks = has_hooks(L, node), wanted = pass.selective && is_wanted(L, node);
  if (!hooks && !wanted) return 0;
  push_gradient(L, state, pass, place);
  const int gradient = lua_gettop(L);
  if (hooks) run_hooks(L, state, node, gradient);
  if (wanted) set_found(L, node, gradient);
  if (pass.create) {
    lua_pushvalue(L, gradient);
    lua_rawseti(L, tensors_at, place);
  } else if (const Tensor* g = test_tensor(L, gradient)) {
    guarded(L, state, [&] { pass.gradient(place) = *g; });
  }
  return gradient;
}

// Passes the gradient of one of several results to the op's node.
void pass_to_owner(lua_State* L, State& state, Pass& pass, int node, int place) {
  lua_rawgeti(L, node, slot::position);
  const double position = lua_tonumber(L, -1);
  lua_rawgeti(L, node, slot::owner);
  const int owner = lua_gettop(L);
  if (!is_node(L, owner) || !(position >= 1 && position <= most_node_arguments)) luaL_error(L, meddled);
  deliver_one_of_several(L, state, pass, owner, static_cast<int>(position), place);
}

void run_node(lua_State* L, State& state, Pass& pass, int place) {
  const int node = take_node(L, place);
  const Variant* variant = variant_of(L, node);
  if (variant == nullptr || variant->of == Variant::Of::leaf) luaL_error(L, meddled);
  if (pass.selective) {
    if (is_left_out(L, pass, node)) return leave_place(L, pass, place);
    lua_rawgeti(L, node, slot::number);
    if (!pass.needs && lua_tonumber(L, -1) <= pass.since) {  // the pass wants its gradient, but doesn't run it
      push_gradient(L, state, pass, place);
      set_found(L, node, lua_gettop(L));
      return leave_place(L, pass, place);
    }
  }
  const int gradient = show_gradient(L, state, pass, node, place);
  if (variant->of == Variant::Of::one_of_several) {
    pass_to_owner(L, state, pass, node, place);
    return leave_place(L, pass, place);
  }
  check_runnable(L, *variant, node);
  run_rule(L, state, pass, *variant, node, place, gradient);
  leave_place(L, pass, place);
  if (pass.retain) return;
  if (variant->keeps) release_node(L, *variant, node);
  let_transient_go(L, state, node);
}

// Runs the innermost pass; PassFrame describes its stack.
int run_pass(lua_State* L) {
  State& state = *static_cast<State*>(lua_touserdata(L, lua_upvalueindex(1)));
  Pass& pass = *state.tape.passes[state.tape.depth - 1];
  luaL_checkstack(L, 60, "backward");
  pass.running = std::numeric_limits<double>::infinity();
  const auto count = static_cast<int>(lua_objlen(L, roots_at));
  for (int i = 1; i <= count; ++i) {
    lua_rawgeti(L, roots_at, i);
    lua_rawgeti(L, gradients_at, i);
    const Tensor* g = test_tensor(L, -1);
    if (g == nullptr || !is_node(L, tensors_at + 1)) luaL_error(L, meddled);
    if (pass.create) {
      deliver_recorded(L, state, pass, tensors_at + 1, tensors_at + 2);
    } else {
      guarded(L, state, [&] { pass.made = *g; });
      deliver(L, state, pass, tensors_at + 1, pass.made);
    }
    lua_settop(L, tensors_at);
  }
  while (!pass.line.empty()) {
    if (interrupt_asked()) guarded(L, state, look_for_interrupt);
    std::pop_heap(pass.line.begin(), pass.line.end(), older);
    const int place = pass.line.back().place;
    pass.running = pass.line.back().number;
    pass.line.pop_back();
    run_node(L, state, pass, place);
    lua_settop(L, tensors_at);
  }
  while (!pass.leaves.empty()) {
    const int place = pass.leaves.back();
    pass.leaves.pop_back();
    finish_leaf(L, state, pass, place);
    lua_settop(L, tensors_at);
  }
  return 0;
}

// More nested passes than this are an endless recursion of a hook. LuaJIT's stack has room for a few hundred, but its overflow is less safe
// while a trace is recorded.
constexpr int most_inside = 100;

bool option(lua_State* L, int options, const char* name) {
  lua_getfield(L, options, name);
  const bool on = lua_toboolean(L, -1) != 0;
  lua_pop(L, 1);
  return on;
}

// Reads the options in the table at a stack index, if there is one.
void set_options(lua_State* L, Pass& pass, int options) {
  pass.create = pass.retain = pass.unchecked = pass.partial = false;
  pass.since = 0;
  if (!lua_istable(L, options)) return;
  pass.create = option(L, options, "create");
  pass.retain = option(L, options, "retain");
  pass.unchecked = option(L, options, "current");
  pass.partial = option(L, options, "partial");
  lua_getfield(L, options, "since");
  pass.since = lua_tonumber(L, -1);
  lua_pop(L, 1);
}

// Pushes an option that is a table, or nil. Returns whether it is a table.
bool push_table_option(lua_State* L, int options, const char* name) {
  if (lua_istable(L, options)) {
    lua_getfield(L, options, name);
    if (lua_istable(L, -1)) return true;
    lua_pop(L, 1);
  }
  lua_pushnil(L);
  return false;
}

// Cleans up after a failed pass.
void drop_pass(lua_State* L, Pass& pass) {
  set_aside(L, pass, true);
  luaL_unref(L, LUA_REGISTRYINDEX, pass.nodes);
  luaL_unref(L, LUA_REGISTRYINDEX, pass.tensors);
  pass = Pass();
}

// backward(roots, gradients, options) of lua/autograd/backward_pass.lua, a closure over the helpers.
int backward(lua_State* L) {
  State& state = upvalue_state(L);
  NativeTape& tape = state.tape;
  check_c_stack(L);  // user functions may run nested backward passes
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TTABLE);
  if (!lua_isnoneornil(L, 3)) luaL_checktype(L, 3, LUA_TTABLE);
  lua_settop(L, 3);
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_getfield(L, 4, "handler");
  if (tape.depth >= size_t{most_inside}) return luaL_error(L, "stack overflow: %d nested backward passes", most_inside);
  luaL_checkstack(L, 20, "backward");
  guarded(L, state, [&] {
    if (tape.passes.size() == tape.depth) tape.passes.push_back(std::make_unique<Pass>());
  });
  Pass& pass = *tape.passes[tape.depth];
  for (int* table : {&pass.nodes, &pass.tensors}) {
    if (*table != LUA_NOREF) continue;
    lua_newtable(L);
    *table = luaL_ref(L, LUA_REGISTRYINDEX);
  }
  set_options(L, pass, 3);
  lua_pushlightuserdata(L, &state);
  lua_pushcclosure(L, run_pass, 1);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  pass.selective = push_table_option(L, 3, "wanted");
  pass.needs = push_table_option(L, 3, "needed");
  lua_pushvalue(L, 4);
  lua_rawgeti(L, LUA_REGISTRYINDEX, pass.nodes);
  lua_rawgeti(L, LUA_REGISTRYINDEX, pass.tensors);
  if (tape.depth > 0) set_aside(L, *tape.passes[tape.depth - 1], true);
  const size_t depth = tape.depth++;
  const bool mode = state.grad_mode.enabled, casting = state.autocast.active;
  state.grad_mode.enabled = pass.create;
  state.autocast.active = false;  // gradients have the types of their tensors
  const int failed = lua_pcall(L, tensors_at, 0, 5);
  state.grad_mode.enabled = mode;
  state.autocast.active = casting;
  tape.depth = depth;
  if (failed != 0) drop_pass(L, pass);
  if (depth > 0) set_aside(L, *tape.passes[depth - 1], false);
  if (failed != 0) {
    lua_getfield(L, 4, "raise");
    lua_insert(L, -2);
    lua_call(L, 1, 0);
  }
  if (!pass.retain) state.collector.note_graph_freed(L);
  return 0;
}

// backwardWith(helpers) -> backward(roots, gradients, options). `helpers` are Lua functions: add(a, b), to(x, kind) and show(tensor,
// gradient) for recorded passes; `handler`, the error handler as for xpcall; and `raise`, which raises the handler's result.
int backward_with(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_getfield(L, 1, "handler");
  luaL_argcheck(L, lua_isfunction(L, -1), 1, "expected a function as its handler");
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  lua_pushcclosure(L, backward, 2);
  return 1;
}

}  // namespace

void open_backward(lua_State* L, State& state) { add_function(L, state, "backwardWith", backward_with); }

}  // namespace mt::lua
