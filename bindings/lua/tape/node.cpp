// The functions on nodes for Lua (lua/autograd/node.lua).
#include "bindings/lua/tape/node.h"

#include <algorithm>

#include "bindings/lua/state/state.h"
#include "bindings/lua/tape/backward_pass.h"
#include "bindings/lua/tape/node_paths.h"
#include "bindings/lua/tape/recording.h"
#include "bindings/lua/tape/variant.h"

namespace mt::lua {
namespace {

bool is_of(lua_State* L, int node, Variant::Of of) {
  const Variant* variant = variant_of(L, node);
  return variant != nullptr && variant->of == of;
}

bool is_leaf_node(lua_State* L, int node) { return is_of(L, node, Variant::Of::leaf); }

void check_node(lua_State* L, int index) {
  if (!is_node(L, index)) luaL_argerror(L, index, "expected a node of the tape");
}

void check_leaf(lua_State* L, int index) {
  check_node(L, index);
  if (!is_leaf_node(L, index)) luaL_argerror(L, index, "expected the node of a leaf");
}

// The position of an argument, from 0, by Lua's number at a stack index; -1 if it is invalid.
int position_at(lua_State* L, int index) {
  const double position = lua_tonumber(L, index);
  return position >= 1 && position <= most_node_arguments ? static_cast<int>(position) - 1 : -1;
}

// Pushes the value of a slot and returns 1; returns 0 for false and nil, which Lua gets as nil.
int push_slot(lua_State* L, int node, int at) {
  lua_rawgeti(L, node, at);
  return lua_toboolean(L, -1);
}

// leaf(x) -> a node for a tensor that requires a gradient
int leaf(lua_State* L) {
  luaL_argcheck(L, test_tensor(L, 1) != nullptr, 1, "expected a tensor");
  push_leaf(L, upvalue_state(L), 1);
  return 1;
}

int is_leaf(lua_State* L) {
  check_node(L, 1);
  lua_pushboolean(L, is_leaf_node(L, 1));
  return 1;
}

int is_view(lua_State* L) {
  check_node(L, 1);
  lua_pushboolean(L, variant_of(L, 1)->view);
  return 1;
}

int is_released_of(lua_State* L) {
  check_node(L, 1);
  lua_pushboolean(L, is_released(L, 1));
  return 1;
}

int name(lua_State* L) {
  check_node(L, 1);
  push_node_name(L, 1);
  return 1;
}

// opName(n) -> the name without the line
int op_name(lua_State* L) {
  check_node(L, 1);
  lua_pushstring(L, variant_of(L, 1)->name.c_str());
  return 1;
}

int number(lua_State* L) {
  check_node(L, 1);
  lua_rawgeti(L, 1, slot::number);
  return 1;
}

// tensor(leaf) -> the tensor of the leaf
int tensor(lua_State* L) {
  check_leaf(L, 1);
  return push_slot(L, 1, slot::leaf_tensor);
}

// gradient(n) -> the gradient that backward passes have stored at a leaf, or at a result with retainGrad
int gradient(lua_State* L) {
  check_node(L, 1);
  return push_gradient(L, 1);
}

// gradientOf(x) -> the same for the node of a tensor; nil if it has no node
int gradient_of(lua_State* L) {
  Tensor* t = test_tensor(L, 1);
  if (t == nullptr || !t->tracked()) return 0;
  if (box_of(*t).awaits_node) adopt(L, upvalue_state(L), 1);
  lua_settop(L, 1);
  lua_getfenv(L, 1);
  return push_gradient(L, 2);
}

// setGradient(n, g or nil)
int set_gradient(lua_State* L) {
  check_node(L, 1);
  luaL_argcheck(L, lua_isnoneornil(L, 2) || test_tensor(L, 2) != nullptr, 2, "expected a tensor or nil");
  ++upvalue_state(L).tape.gradient_epoch;
  lua_settop(L, 2);
  if (!is_leaf_node(L, 1))
    lua_setfield(L, 1, retained_field);
  else
    lua_rawseti(L, 1, slot::leaf_gradient);
  return 0;
}

// edge(n, i) -> the node of argument i, or a list of nodes if the argument is a list
int edge(lua_State* L) {
  check_node(L, 1);
  const int i = position_at(L, 2);
  return i < 0 ? 0 : push_slot(L, 1, slot::edge(i));
}

// edges(n, list) stores the nodes that receive a gradient from n in the list -> their number
int edges(lua_State* L) {
  check_node(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  int count = 0;
  each_edge(L, 1, [&](int at) {
    lua_pushvalue(L, at);
    lua_rawseti(L, 2, ++count);
  });
  lua_pushinteger(L, count);
  return 1;
}

// kept(n, i) -> the value that the node saves for argument i, or for the result if i is 0
int kept(lua_State* L) {
  check_node(L, 1);
  if (lua_tonumber(L, 2) == 0) return is_leaf_node(L, 1) ? 0 : push_slot(L, 1, slot::result);
  const int i = position_at(L, 2);
  if (i < 0) return 0;
  lua_rawgeti(L, 1, slot::value(i));
  return 1;
}

// owner(n) -> the node of the op of which n is one of several results
int owner(lua_State* L) {
  check_node(L, 1);
  return is_of(L, 1, Variant::Of::one_of_several) ? push_slot(L, 1, slot::owner) : 0;
}

// addHook(n, f)
int add_hook(lua_State* L) {
  check_node(L, 1);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  lua_rawgeti(L, 1, slot::hooks);
  if (!lua_istable(L, 3)) {
    lua_createtable(L, 1, 0);
    lua_replace(L, 3);
    lua_pushvalue(L, 3);
    lua_rawseti(L, 1, slot::hooks);
  }
  lua_pushvalue(L, 2);
  lua_rawseti(L, 3, static_cast<int>(lua_objlen(L, 3)) + 1);
  return 0;
}

// removeHook(n, f) removes the first hook that is this function
int remove_hook(lua_State* L) {
  check_node(L, 1);
  lua_settop(L, 2);
  lua_rawgeti(L, 1, slot::hooks);
  const int count = lua_istable(L, 3) ? static_cast<int>(lua_objlen(L, 3)) : 0;
  int left = 0;
  bool found = false;
  lua_createtable(L, count, 0);  // a new list, because run_hooks may be iterating over the old one
  for (int i = 1; i <= count; ++i) {
    lua_rawgeti(L, 3, i);
    if (!found && lua_rawequal(L, -1, 2) != 0) {
      found = true;
      lua_pop(L, 1);
    } else {
      lua_rawseti(L, 4, ++left);
    }
  }
  if (left == 0) lua_pushboolean(L, 0);
  if (count > 0) lua_rawseti(L, 1, slot::hooks);
  return 0;
}

// setLine(n, line) sets the program line that recorded the node, for errors
int set_line(lua_State* L) {
  check_node(L, 1);
  luaL_checktype(L, 2, LUA_TSTRING);
  lua_settop(L, 2);
  lua_setfield(L, 1, line_field);
  upvalue_state(L).tape.marked = true;
  return 0;
}

// line(n) -> that line, or nil
int line(lua_State* L) {
  check_node(L, 1);
  lua_getfield(L, 1, line_field);
  return 1;
}

// arity(n) -> the number of arguments that may have edges
int arity(lua_State* L) {
  check_node(L, 1);
  lua_pushinteger(L, arity_of(L, 1));
  return 1;
}

// setTransient(n, x): only the graph refers to the result x, which is freed with the node
int set_transient(lua_State* L) {
  check_node(L, 1);
  luaL_argcheck(L, test_tensor(L, 2) != nullptr, 2, "expected a tensor");
  lua_settop(L, 2);
  lua_rawseti(L, 1, slot::transient);
  return 0;
}

}  // namespace

// Optimisers call this for each parameter in each step, so leaves are recognised by their number, 0.
int push_gradient(lua_State* L, int node) {
  lua_rawgeti(L, node, slot::number);
  if (lua_type(L, -1) == LUA_TNUMBER && lua_tonumber(L, -1) == 0)
    lua_rawgeti(L, node, slot::leaf_gradient);
  else
    lua_getfield(L, node, retained_field);
  return lua_toboolean(L, -1) != 0 ? 1 : 0;
}

bool is_node(lua_State* L, int index) {
  if (!lua_istable(L, index)) return false;
  lua_rawgeti(L, index, slot::number);
  const bool numbered = lua_type(L, -1) == LUA_TNUMBER;
  lua_pop(L, 1);
  return numbered && variant_of(L, index) != nullptr;
}

void push_node_name(lua_State* L, int node) {
  const Variant* variant = variant_of(L, node);
  lua_getfield(L, node, name_field);
  if (lua_type(L, -1) != LUA_TSTRING || variant == nullptr || variant->of != Variant::Of::function) {
    lua_pop(L, 1);
    lua_pushstring(L, variant != nullptr ? variant->name.c_str() : "node");
  }
  lua_getfield(L, node, line_field);
  if (lua_type(L, -1) == LUA_TSTRING) {
    lua_pushfstring(L, "%s (recorded at %s)", lua_tostring(L, -2), lua_tostring(L, -1));
    lua_insert(L, -3);
    lua_pop(L, 2);
  } else {
    lua_pop(L, 1);
  }
}

int arity_of(lua_State* L, int node) {
  const Variant* variant = variant_of(L, node);
  if (variant == nullptr || variant->of != Variant::Of::function) return variant != nullptr ? variant->arity : 0;
  lua_getfield(L, node, arity_field);
  const double arity = lua_tonumber(L, -1);
  lua_pop(L, 1);
  return arity >= 0 && arity <= most_node_arguments ? static_cast<int>(arity) : 0;
}

void push_leaf(lua_State* L, const State& state, int tensor) {
  lua_createtable(L, slot::leaf_gradient, 0);
  const int node = lua_gettop(L);
  lua_pushnumber(L, 0);
  lua_rawseti(L, node, slot::number);
  push_variant(L, *state.tape.leaf);
  lua_rawseti(L, node, slot::variant);
  lua_pushvalue(L, tensor);
  lua_rawseti(L, node, slot::leaf_tensor);
}

bool is_leaf_of(lua_State* L, int index, int tensor) {
  if (!is_node(L, index) || !is_leaf_node(L, index)) return false;
  lua_rawgeti(L, index, slot::leaf_tensor);
  const bool same = lua_rawequal(L, -1, tensor) != 0;
  lua_pop(L, 1);
  return same;
}

bool is_view_node(lua_State* L, int node) { return is_node(L, node) && variant_of(L, node)->view; }

bool is_released(lua_State* L, int node) {
  lua_rawgeti(L, node, slot::released);
  const bool released = lua_toboolean(L, -1) != 0;
  lua_pop(L, 1);
  return released;
}

bool has_no_edges(lua_State* L, int node) { return is_leaf_node(L, node) || is_released(L, node); }

namespace {

// nodes() -> a table of these functions, which only programs that differentiate create
int functions_of_nodes(lua_State* L) {
  State& state = upvalue_state(L);
  lua_newtable(L);
  add_function(L, state, "leaf", leaf);
  add_function(L, state, "isLeaf", is_leaf);
  add_function(L, state, "isView", is_view);
  add_function(L, state, "isReleased", is_released_of);
  add_function(L, state, "name", name);
  add_function(L, state, "opName", op_name);
  add_function(L, state, "number", number);
  add_function(L, state, "tensor", tensor);
  add_function(L, state, "gradient", gradient);
  add_function(L, state, "gradientOf", gradient_of);
  add_function(L, state, "setGradient", set_gradient);
  add_function(L, state, "edge", edge);
  add_function(L, state, "edges", edges);
  add_function(L, state, "kept", kept);
  add_function(L, state, "owner", owner);
  add_function(L, state, "addHook", add_hook);
  add_function(L, state, "removeHook", remove_hook);
  add_function(L, state, "setTransient", set_transient);
  add_function(L, state, "setLine", set_line);
  add_function(L, state, "line", line);
  add_function(L, state, "arity", arity);
  add_function(L, state, "onPaths", nodes_on_paths);
  add_node_makers(L, state);
  add_node_rules(L, state);
  return 1;
}

}  // namespace

void open_nodes(lua_State* L, State& state) { add_function(L, state, "nodes", functions_of_nodes); }

}  // namespace mt::lua
