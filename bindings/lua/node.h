// A node of the tape: what produced a tracked tensor. It is one Lua array, which the tensor carries as its environment table, so that the
// collector sees every edge: a graph goes with its loss. Which slot holds what is written down here alone; Lua asks by the functions that
// lua/autograd/node.lua describes.
//
// The array has at most 15 slots where an op has three arguments that matter, as LuaJIT allocates such a table in one piece.
#pragma once

#include "bindings/lua/state.h"

namespace mt::lua {

namespace slot {
inline constexpr int transient = 0;  // the result, when nothing but the graph knows it: it goes with the node (see nn.Sequential)
inline constexpr int number = 1;     // in order of recording: every input's is smaller. 0 for a leaf
inline constexpr int variant = 2;    // the op's rule for the inputs that are tracked
inline constexpr int gradient = 3;   // pending in a backward pass; else false or nil
inline constexpr int hooks = 5;      // list of functions, or false or nil
inline constexpr int result = 6, result_version = 7;      // kept for the rule, and its version when it was kept
inline constexpr int leaf_tensor = 6, leaf_gradient = 7;  // what a leaf has in their place
inline constexpr int owner = 8, position = 9,
                     positions = 10;  // one of several results: the op's node, which it is; of the first the second
// Of argument i, from 0: its node, or a list of nodes where the argument is a list of tensors; what is kept of it; that one's version.
constexpr int edge(int i) { return 8 + 3 * i; }
constexpr int value(int i) { return 9 + 3 * i; }
constexpr int version(int i) { return 10 + 3 * i; }
}  // namespace slot

// Whether a table that may be anything looks like a node. A program can get hold of a node, and write into it.
bool is_node(lua_State* L, int index);

// Pushes what the node's variant says under a name, or nil.
void push_trait(lua_State* L, int node, const char* name);

// Number of arguments that the node has edges and kept values for.
int arity_of(lua_State* L, int node);

// Whether it has been walked, and what it kept is gone.
bool is_released(lua_State* L, int node);

// Whether its gradient goes nowhere: a leaf's node, and one whose backward pass is over.
bool has_no_edges(lua_State* L, int node);

// Calls f with the stack index of each node that n's gradient goes to.
template <class F> void each_edge(lua_State* L, int n, F&& f) {
  if (has_no_edges(L, n)) return;
  luaL_checkstack(L, 8, "edges");
  const int top = lua_gettop(L), count = arity_of(L, n);
  for (int i = 0; i < count; ++i) {
    lua_rawgeti(L, n, slot::edge(i));
    if (is_node(L, top + 1)) {
      f(top + 1);
    } else if (lua_istable(L, top + 1)) {
      for (lua_pushnil(L); lua_next(L, top + 1) != 0; lua_settop(L, top + 2)) {
        if (is_node(L, top + 3)) f(top + 3);
      }
    }
    lua_settop(L, top);
  }
}

void open_nodes(lua_State* L, State& state);  // the functions of lua/autograd/node.lua, as a table `nodes`

}  // namespace mt::lua
