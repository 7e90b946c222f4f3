// The plain backward pass: no gradient is itself recorded. Nodes whose rules are programs are run here; the others, and those with hooks,
// are handed to Lua (lua/autograd/walk.lua). A gradient that nobody else can see takes the next one in place.
#include <algorithm>
#include <memory>

#include "bindings/lua/accumulate.h"
#include "bindings/lua/c_stack.h"
#include "bindings/lua/pass.h"
#include "engine/core/image_layout.h"
#include "engine/core/interrupt.h"

namespace mt::lua {
namespace {

// What a program has written into a node, or done inside a walk, that it should have left alone.
constexpr const char* meddled = "backward: the tape was changed by something other than its own functions";

constexpr auto older = [](const Pass::Waiting& a, const Pass::Waiting& b) { return a.number < b.number; };

// A place for the node at a stack index, which becomes one of those that wait.
int take_place(lua_State* L, State& state, Pass& pass, int nodes, int node) {
  lua_rawgeti(L, node, slot::number);
  const double number = lua_tonumber(L, -1);
  lua_pop(L, 1);
  int place = 0;
  guarded(L, state, [&] {
    if (pass.free.empty()) {
      pass.gradients.emplace_back();
      pass.free.reserve(pass.gradients.size());
      place = static_cast<int>(pass.gradients.size());
    } else {
      place = pass.free.back();
      pass.free.pop_back();
    }
    if (number == 0) {
      pass.leaves.push_back(place);
    } else {
      pass.line.push_back({number, place});
      if (pass.line.size() > 1) std::push_heap(pass.line.begin(), pass.line.end(), older);
    }
  });
  lua_pushvalue(L, node);
  lua_rawseti(L, nodes, place);
  lua_pushinteger(L, place);
  lua_rawseti(L, node, slot::gradient);
  return place;
}

void leave_place(Pass& pass, int place) {
  pass.gradient(place).clear();
  pass.free.push_back(place);
}

// Pushes the node whose turn it is. Its gradient stays in its place.
int push_node(lua_State* L, int nodes, int place) {
  lua_rawgeti(L, nodes, place);
  const int node = lua_gettop(L);
  lua_pushboolean(L, 0);
  lua_rawseti(L, nodes, place);
  lua_pushboolean(L, 0);
  lua_rawseti(L, node, slot::gradient);
  return node;
}

// Where the node at a stack index waits, or 0.
int place_of(lua_State* L, const Pass& pass, int node) {
  if (!lua_istable(L, node)) luaL_error(L, meddled);
  lua_rawgeti(L, node, slot::gradient);
  const double place = lua_tonumber(L, -1);
  lua_pop(L, 1);
  return place >= 1 && place <= static_cast<double>(pass.gradients.size()) ? static_cast<int>(place) : 0;
}

void add_to(const State& state, Pass& pass, int place, const Tensor& g) {
  Tensor& held = pass.gradient(place);
  if (is_exclusive(held) && same_kind(held, g))
    add_onto(state, held, g);
  else
    held = sum_of(state, held, g);
}

// Adds g, which is used up, to what has arrived at a node.
void deliver(lua_State* L, State& state, Pass& pass, int nodes, int node, Tensor& g) {
  const int pending = place_of(L, pass, node);
  if (pending == 0) {
    pass.gradient(take_place(L, state, pass, nodes, node)) = std::move(g);
    return;
  }
  guarded(L, state, [&] { add_to(state, pass, pending, g); });
  g.clear();
}

// Runs the program of a rule. Its result is added to `held`, if there is one and the last step can do that (then true), or put into
// `given`, which is empty.
bool run_rule_program(lua_State* L, const State& state, const Program& program, int kept, Tensor& g, Tensor* held, Tensor& given) {
  Target target{.sum = held};
  if (program.results == 1) {
    run_program(L, state, program, kept, &g, &given, &target);
    return target.added;
  }
  Made made(program);
  run_program(L, state, program, kept, &g, made.tensors(), &target);
  if (!target.added) given = output_of(program, 0, &g, made.tensors());
  return target.added;
}

// Runs the program for argument i of a node, and hands on what it gives to the node at stack index `edge`.
void run_rule(lua_State* L, State& state, Pass& pass, const Program& program, int nodes, int edge, int kept, int place) {
  const int pending = place_of(L, pass, edge);
  bool onto = false;
  guarded(L, state, [&] {
    Tensor* held = pending != 0 && is_exclusive(pass.gradient(pending)) ? &pass.gradient(pending) : nullptr;
    onto = run_rule_program(L, state, program, kept, pass.gradient(place), held, pass.made);
    if (!onto && pending != 0) add_to(state, pass, pending, pass.made);
  });
  if (!onto && pending == 0) pass.gradient(take_place(L, state, pass, nodes, edge)) = std::move(pass.made);
  pass.made.clear();
}

// Whether what the node keeps is still what it was.
bool is_unchanged(lua_State* L, const Variant& variant, int node, int kept) {
  const auto unchanged = [&](int index, int version) {
    const Tensor* t = test_tensor(L, index);
    if (t == nullptr) return true;
    lua_rawgeti(L, node, version);
    const bool same = lua_type(L, -1) != LUA_TNUMBER || lua_tonumber(L, -1) == version_of(*t);
    lua_pop(L, 1);
    return same;
  };
  bool same = variant.result == Keep::nothing || unchanged(kept, slot::result_version);
  for (int i = 0; same && i < variant.arity; ++i) {
    if (variant.arguments[i] == Keep::value) same = unchanged(kept + 1 + i, slot::version(i));
  }
  return same;
}

// A result that only the graph knows has been read for the last time when the node that made it is done.
void let_transient_go(lua_State* L, State& state, int node) {
  lua_rawgeti(L, node, slot::transient);
  Tensor* t = test_tensor(L, -1);
  lua_pop(L, 1);
  if (t == nullptr) return;
  let_go(state, *t);
  lua_pushnil(L);
  lua_rawseti(L, node, slot::transient);
}

// Nothing that the node keeps is needed any more.
void release_node(lua_State* L, const Variant& variant, int node) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, variant.gone);
  lua_rawseti(L, node, slot::variant);
  if (variant.view) return;  // it still says what it is a view of
  const auto drop = [&](int at) {
    lua_pushnil(L);
    lua_rawseti(L, node, at);
  };
  if (variant.result != Keep::nothing) drop(slot::result);
  for (int i = 0; i < variant.arity; ++i) {
    drop(slot::edge(i));
    if (variant.arguments[i] != Keep::nothing) drop(slot::value(i));
  }
}

// Hands a node and its gradient to the Lua function at a stack index.
void call_lua(lua_State* L, State& state, Pass& pass, int function, int node, int place) {
  lua_pushvalue(L, function);
  lua_pushvalue(L, node);
  Tensor& g = push_tensor(L, state, pass.gradient(place).dtype());
  g = std::move(pass.gradient(place));
  claim(state, g);  // the function may keep it
  leave_place(pass, place);
  lua_call(L, 2, 0);
}

// Stack indices of a walk's arguments and of its table of nodes.
enum { roots_at = 1, gradients_at, retain_at, unchecked_at, visit_at, leaf_at, wanted_at, needed_at, since_at, nodes_at };

bool has_key(lua_State* L, int table, int key) {
  lua_pushvalue(L, key);
  lua_rawget(L, table);
  const bool found = !lua_isnil(L, -1);
  lua_pop(L, 1);
  return found;
}

// Whether the gradient of the node at a stack index leads nowhere in a selective pass.
bool is_left_out(lua_State* L, const Pass& pass, int node) {
  if (pass.needs) return !has_key(L, needed_at, node);
  lua_rawgeti(L, node, slot::number);
  const bool old = lua_tonumber(L, -1) <= pass.since;
  lua_pop(L, 1);
  return old && !has_key(L, wanted_at, node);
}

void run_node(lua_State* L, State& state, Pass& pass, int place) {
  const int node = push_node(L, nodes_at, place);
  const Variant* variant = variant_of(L, *state.tape, node);
  lua_rawgeti(L, node, slot::hooks);
  const bool hooks = lua_toboolean(L, -1) != 0;
  lua_settop(L, node);
  if (pass.selective && is_left_out(L, pass, node)) {
    leave_place(pass, place);
    return;
  }
  if (variant == nullptr || hooks || (pass.selective && has_key(L, wanted_at, node))) {
    call_lua(L, state, pass, visit_at, node, place);
    return;
  }
  const int kept = node + 1;
  lua_rawgeti(L, node, slot::result);
  for (int i = 0; i < variant->arity; ++i) lua_rawgeti(L, node, slot::value(i));
  if (!pass.unchecked && !is_unchanged(L, *variant, node, kept)) {
    call_lua(L, state, pass, visit_at, node, place);  // which says what has changed
    return;
  }
  for (int i = 0; i < variant->arity; ++i) {
    if (!variant->programs[i].present) continue;
    lua_rawgeti(L, node, slot::edge(i));
    const int edge = lua_gettop(L);
    if (!pass.selective || !is_left_out(L, pass, edge)) run_rule(L, state, pass, variant->programs[i], nodes_at, edge, kept, place);
    lua_pop(L, 1);
  }
  leave_place(pass, place);
  if (pass.retain) return;
  if (variant->keeps) release_node(L, *variant, node);
  let_transient_go(L, state, node);
}

// The gradient becomes the leaf's own: users change it in place, so it must be dense and its memory nobody else's.
void finish_leaf(lua_State* L, State& state, Pass& pass, int place) {
  constexpr int gradient_slot = slot::result_version;
  const int node = push_node(L, nodes_at, place);
  lua_rawgeti(L, node, slot::hooks);
  lua_rawgeti(L, node, slot::result);
  lua_rawgeti(L, node, gradient_slot);
  const bool hooks = lua_toboolean(L, node + 1) != 0;
  const Tensor* x = test_tensor(L, node + 2);
  Tensor* old = test_tensor(L, node + 3);
  const Tensor& g = pass.gradient(place);
  if (pass.selective && !has_key(L, wanted_at, node)) {
    leave_place(pass, place);
    return;
  }
  const bool recorded = old != nullptr && old->tracked();
  if (pass.selective || hooks || recorded || x == nullptr || !x->same_sizes(g) || !same_kind(*x, g)) {
    call_lua(L, state, pass, leaf_at, node, place);
    return;
  }
  if (old != nullptr) {
    guarded(L, state, [&] { add_onto(state, *old, g); });
  } else {
    guarded(L, state, [&] {
      if (!is_exclusive(g)) pass.gradient(place) = copy_alike(g, g.dtype());
    });
    Tensor& fresh = push_tensor(L, state, pass.gradient(place).dtype());
    fresh = std::move(pass.gradient(place));
    note_allocation(L, state, fresh);
    lua_rawseti(L, node, gradient_slot);
  }
  leave_place(pass, place);
}

// Takes the gradients of a pass off its nodes, so that another may use them, or puts them back.
void set_aside(lua_State* L, const Pass& pass, bool aside) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, pass.nodes);
  for (size_t i = 1; i <= pass.gradients.size(); ++i) {
    lua_rawgeti(L, -1, static_cast<int>(i));
    if (lua_istable(L, -1)) {
      if (aside)
        lua_pushboolean(L, 0);
      else
        lua_pushinteger(L, static_cast<lua_Integer>(i));
      lua_rawseti(L, -2, slot::gradient);
    }
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

// setPassAside(aside): of the plain walk under way, if there is one
int set_pass_aside(lua_State* L) {
  const NativeTape& tape = *upvalue_state(L).tape;
  if (tape.depth > 0) set_aside(L, *tape.passes[tape.depth - 1], lua_toboolean(L, 1) != 0);
  return 0;
}

// More walks than this inside each other are a hook without end. LuaJIT's own stack would hold a few hundred, and runs out of it less
// safely where a trace is under way.
constexpr int most_inside = 100;

// walk(roots, gradients, retain, unchecked, visit, leaf, wanted, needed, since): visit(node, gradient) runs a node that is not run here,
// and leaf(node, gradient) finishes such a leaf. `wanted`, if given, has as keys the nodes whose gradients are wanted: they go to these two
// functions, and no other leaf gets its own. `needed`, if given, has the nodes worth running; else those are that were recorded after
// number `since`, and wanted nodes among the others are not run.
int walk(lua_State* L) {
  State& state = upvalue_state(L);
  NativeTape& tape = *state.tape;
  check_c_stack(L);  // functions of users may run backward passes of their own
  if (tape.depth >= size_t{most_inside}) return luaL_error(L, "stack overflow: %d walks back inside each other", most_inside);
  luaL_checkstack(L, 40, "walk");
  guarded(L, state, [&] {
    if (tape.passes.size() == tape.depth) tape.passes.push_back(std::make_unique<Pass>());
  });
  Pass& pass = *tape.passes[tape.depth];
  if (pass.nodes == LUA_NOREF) {
    lua_newtable(L);
    pass.nodes = luaL_ref(L, LUA_REGISTRYINDEX);
  }
  lua_settop(L, since_at);
  luaL_checktype(L, roots_at, LUA_TTABLE);
  luaL_checktype(L, gradients_at, LUA_TTABLE);
  lua_rawgeti(L, LUA_REGISTRYINDEX, pass.nodes);
  pass.retain = lua_toboolean(L, retain_at) != 0;
  pass.unchecked = lua_toboolean(L, unchecked_at) != 0;
  pass.selective = lua_istable(L, wanted_at);
  pass.needs = lua_istable(L, needed_at);
  pass.since = lua_tonumber(L, since_at);
  const uint64_t number = pass.number = ++tape.last_pass;
  const size_t depth = ++tape.depth;
  const auto goes_on = [&] {  // functions of users have run
    if (pass.number != number || tape.depth != depth) luaL_error(L, meddled);
  };
  const auto count = static_cast<int>(lua_objlen(L, roots_at));
  for (int i = 1; i <= count; ++i) {
    lua_rawgeti(L, roots_at, i);
    lua_rawgeti(L, gradients_at, i);
    const Tensor* g = test_tensor(L, -1);
    if (g == nullptr) luaL_error(L, meddled);
    guarded(L, state, [&] { pass.made = *g; });
    deliver(L, state, pass, nodes_at, nodes_at + 1, pass.made);
    lua_settop(L, nodes_at);
  }
  while (!pass.line.empty()) {
    if (interrupt_asked()) guarded(L, state, look_for_interrupt);
    std::pop_heap(pass.line.begin(), pass.line.end(), older);
    const int place = pass.line.back().place;
    pass.line.pop_back();
    run_node(L, state, pass, place);
    goes_on();
    lua_settop(L, nodes_at);
  }
  while (!pass.leaves.empty()) {
    const int place = pass.leaves.back();
    pass.leaves.pop_back();
    finish_leaf(L, state, pass, place);
    goes_on();
    lua_settop(L, nodes_at);
  }
  --tape.depth;
  return 0;
}

// walkDepth(): how many walks run inside each other
int walk_depth(lua_State* L) {
  lua_pushinteger(L, static_cast<lua_Integer>(upvalue_state(L).tape->depth));
  return 1;
}

// endWalks(depth): drops what an error has left of the walks inside the outermost `depth`. The last may not have begun.
int end_walks(lua_State* L) {
  NativeTape& tape = *upvalue_state(L).tape;
  const double depth = luaL_checknumber(L, 1);
  while (depth >= 0 && static_cast<double>(tape.depth) > depth) {
    Pass& pass = *tape.passes[--tape.depth];
    set_aside(L, pass, true);
    luaL_unref(L, LUA_REGISTRYINDEX, pass.nodes);
    pass = Pass();
  }
  return 0;
}

// addByRule(node, i, gradient, sum): adds what a node's rule gives for argument i (from 1) to a tensor, if the rule is a program; gives
// whether it is. Nothing is checked against later changes.
int add_by_rule(lua_State* L) {
  State& state = upvalue_state(L);
  Tensor *g = test_tensor(L, 3), *sum = test_tensor(L, 4);
  const double position = lua_tonumber(L, 2);
  const int i = position >= 1 && position <= Variant::most_arguments ? static_cast<int>(position) - 1 : -1;
  luaL_checktype(L, 1, LUA_TTABLE);
  const Variant* variant = variant_of(L, *state.tape, 1);
  const bool can = variant != nullptr && g != nullptr && sum != nullptr && i >= 0 && i < variant->arity && variant->programs[i].present;
  if (can) {
    lua_rawgeti(L, 1, slot::result);
    const int kept = lua_gettop(L);
    for (int k = 0; k < variant->arity; ++k) lua_rawgeti(L, 1, slot::value(k));
    guarded(L, state, [&] {
      Tensor made;
      Tensor* held = same_kind(*g, *sum) ? sum : nullptr;
      if (!run_rule_program(L, state, variant->programs[i], kept, *g, held, made)) add_onto(state, *sum, made);
    });
  }
  lua_pushboolean(L, can);
  return 1;
}

// deliver(node, gradient, fresh): adds to what has arrived at a node in the walk under way. A fresh gradient's tensor is emptied.
int deliver_from_lua(lua_State* L) {
  State& state = upvalue_state(L);
  if (state.tape->depth == 0) return luaL_error(L, "deliver: no walk back is under way");
  Pass& pass = *state.tape->passes[state.tape->depth - 1];
  luaL_checktype(L, 1, LUA_TTABLE);
  Tensor* g = test_tensor(L, 2);
  if (g == nullptr) return luaL_argerror(L, 2, "a tensor was expected");
  lua_settop(L, 3);
  lua_rawgeti(L, LUA_REGISTRYINDEX, pass.nodes);
  guarded(L, state, [&] { pass.made = *g; });
  if (lua_toboolean(L, 3) != 0) g->clear();
  deliver(L, state, pass, 4, 1, pass.made);
  return 0;
}

}  // namespace

void open_walk(lua_State* L, State& state) {
  add_function(L, state, "walk", walk);
  add_function(L, state, "walkDepth", walk_depth);
  add_function(L, state, "endWalks", end_walks);
  add_function(L, state, "setPassAside", set_pass_aside);
  add_function(L, state, "addByRule", add_by_rule);
  add_function(L, state, "deliver", deliver_from_lua);
}

}  // namespace mt::lua
