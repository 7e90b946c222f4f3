// What Lua may ask of nodes, and do to them: the table `nodes` of the library (lua/autograd/node.lua).
#include "bindings/lua/node.h"

#include <algorithm>

#include "bindings/lua/native_tape.h"
#include "bindings/lua/node_paths.h"

namespace mt::lua {
namespace {

bool trait(lua_State* L, int node, const char* name) {
  push_trait(L, node, name);
  const bool on = lua_toboolean(L, -1) != 0;
  lua_pop(L, 1);
  return on;
}

void check_node(lua_State* L, int index) {
  if (!is_node(L, index)) luaL_argerror(L, index, "a node of the tape was expected");
}

void check_leaf(lua_State* L, int index) {
  check_node(L, index);
  if (!trait(L, index, "leaf")) luaL_argerror(L, index, "the node of a leaf was expected");
}

constexpr int most_arguments = 1 << 16;

// The argument's position that Lua gives at a stack index, from 0; -1 where there is none such.
int position_at(lua_State* L, int index) {
  const double position = lua_tonumber(L, index);
  return position >= 1 && position <= most_arguments ? static_cast<int>(position) - 1 : -1;
}

// Pushes a slot, nil in the place of false.
int push_slot(lua_State* L, int node, int at) {
  lua_rawgeti(L, node, at);
  return lua_toboolean(L, -1);
}

// leaf(x) -> a node for a tensor that wants a gradient of its own
int leaf(lua_State* L) {
  luaL_argcheck(L, test_tensor(L, 1) != nullptr, 1, "a tensor was expected");
  lua_settop(L, 1);
  lua_createtable(L, slot::leaf_gradient, 0);
  lua_pushnumber(L, 0);
  lua_rawseti(L, 2, slot::number);
  lua_rawgeti(L, LUA_REGISTRYINDEX, upvalue_state(L).tape->leaf);
  lua_rawseti(L, 2, slot::variant);
  lua_pushvalue(L, 1);
  lua_rawseti(L, 2, slot::leaf_tensor);
  return 1;
}

int is_leaf(lua_State* L) {
  check_node(L, 1);
  lua_pushboolean(L, trait(L, 1, "leaf"));
  return 1;
}

int is_view(lua_State* L) {
  check_node(L, 1);
  lua_pushboolean(L, trait(L, 1, "view"));
  return 1;
}

int is_released_of(lua_State* L) {
  check_node(L, 1);
  lua_pushboolean(L, trait(L, 1, "released"));
  return 1;
}

int name(lua_State* L) {
  check_node(L, 1);
  push_trait(L, 1, "name");
  return 1;
}

int number(lua_State* L) {
  check_node(L, 1);
  lua_rawgeti(L, 1, slot::number);
  return 1;
}

// tensor(leaf) -> the tensor that the leaf stands for
int tensor(lua_State* L) {
  check_leaf(L, 1);
  return push_slot(L, 1, slot::leaf_tensor);
}

constexpr const char* retained = "grad";  // the field of a result that keeps its gradient

// gradient(n) -> what backward passes have left at a leaf, or at a result that keeps it
int gradient(lua_State* L) {
  check_node(L, 1);
  if (trait(L, 1, "leaf")) return push_slot(L, 1, slot::leaf_gradient);
  lua_getfield(L, 1, retained);
  return 1;
}

// setGradient(n, g or nil)
int set_gradient(lua_State* L) {
  check_node(L, 1);
  luaL_argcheck(L, lua_isnoneornil(L, 2) || test_tensor(L, 2) != nullptr, 2, "a tensor or nil was expected");
  lua_settop(L, 2);
  if (!trait(L, 1, "leaf"))
    lua_setfield(L, 1, retained);
  else
    lua_rawseti(L, 1, slot::leaf_gradient);
  return 0;
}

// edge(n, i) -> the node of argument i, or a list of them where the argument is one
int edge(lua_State* L) {
  check_node(L, 1);
  const int i = position_at(L, 2);
  return i < 0 ? 0 : push_slot(L, 1, slot::edge(i));
}

// edges(n, list) -> how many nodes n's gradient goes to; they are put into the list
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

// kept(n, i) -> what the node keeps of argument i; of the result for 0
int kept(lua_State* L) {
  check_node(L, 1);
  if (lua_tonumber(L, 2) == 0) return trait(L, 1, "leaf") ? 0 : push_slot(L, 1, slot::result);
  const int i = position_at(L, 2);
  if (i < 0) return 0;
  lua_rawgeti(L, 1, slot::value(i));
  return 1;
}

// owner(n) -> the node of the op of which n is one of several results
int owner(lua_State* L) {
  check_node(L, 1);
  return trait(L, 1, "stub") ? push_slot(L, 1, slot::owner) : 0;
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

// removeHook(n, f): the first that is this function
int remove_hook(lua_State* L) {
  check_node(L, 1);
  lua_settop(L, 2);
  lua_rawgeti(L, 1, slot::hooks);
  const int count = lua_istable(L, 3) ? static_cast<int>(lua_objlen(L, 3)) : 0;
  int left = 0;
  bool found = false;
  lua_createtable(L, count, 0);  // a new list, as the old one may be gone through just now
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

// setTransient(n, x): nobody but the graph knows the result x, which goes with the node
int set_transient(lua_State* L) {
  check_node(L, 1);
  luaL_argcheck(L, test_tensor(L, 2) != nullptr, 2, "a tensor was expected");
  lua_settop(L, 2);
  lua_rawseti(L, 1, slot::transient);
  return 0;
}

}  // namespace

bool is_node(lua_State* L, int index) {
  if (!lua_istable(L, index)) return false;
  lua_rawgeti(L, index, slot::number);
  lua_rawgeti(L, index, slot::variant);
  const bool is = lua_type(L, -2) == LUA_TNUMBER && lua_istable(L, -1);
  lua_pop(L, 2);
  return is;
}

void push_trait(lua_State* L, int node, const char* name) {
  lua_rawgeti(L, node, slot::variant);
  lua_pushstring(L, name);
  lua_rawget(L, -2);
  lua_remove(L, -2);
}

int arity_of(lua_State* L, int node) {
  if (trait(L, node, "stub")) return 1;
  lua_getfield(L, node, "arguments");
  push_trait(L, node, "arity");
  const double arity = lua_tonumber(L, lua_isnumber(L, -2) != 0 ? -2 : -1);
  lua_pop(L, 2);
  return arity >= 0 && arity <= most_arguments ? static_cast<int>(arity) : 0;
}

bool is_released(lua_State* L, int node) { return trait(L, node, "released"); }

bool has_no_edges(lua_State* L, int node) { return trait(L, node, "leaf") || trait(L, node, "released"); }

void open_nodes(lua_State* L, State& state) {
  lua_createtable(L, 0, 2);
  lua_pushliteral(L, "leaf");
  lua_setfield(L, -2, "name");
  lua_pushboolean(L, 1);
  lua_setfield(L, -2, "leaf");
  state.tape->leaf = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_newtable(L);
  add_function(L, state, "leaf", leaf);
  add_function(L, state, "isLeaf", is_leaf);
  add_function(L, state, "isView", is_view);
  add_function(L, state, "isReleased", is_released_of);
  add_function(L, state, "name", name);
  add_function(L, state, "number", number);
  add_function(L, state, "tensor", tensor);
  add_function(L, state, "gradient", gradient);
  add_function(L, state, "setGradient", set_gradient);
  add_function(L, state, "edge", edge);
  add_function(L, state, "edges", edges);
  add_function(L, state, "kept", kept);
  add_function(L, state, "owner", owner);
  add_function(L, state, "addHook", add_hook);
  add_function(L, state, "removeHook", remove_hook);
  add_function(L, state, "setTransient", set_transient);
  add_function(L, state, "onPaths", nodes_on_paths);
  lua_setfield(L, -2, "nodes");
}

}  // namespace mt::lua
