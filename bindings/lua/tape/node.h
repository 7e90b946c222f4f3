// A node of the tape: what produced a tracked tensor. It is one Lua array, which the tensor carries as its environment table, so that the
// collector sees every edge: a graph goes with its loss. Which slot holds what is written down here alone; Lua asks by the functions that
// lua/autograd/node.lua describes.
//
// The array has at most 15 slots where an op has three arguments that matter, as LuaJIT allocates such a table in one piece.
#pragma once

#include "bindings/lua/state/state.h"

namespace mt::lua {

namespace slot {
inline constexpr int transient = 0;  // the result, when nothing but the graph knows it: it goes with the node (see nn.Sequential)
inline constexpr int number = 1;     // in order of recording: every input's is smaller. 0 for a leaf
inline constexpr int variant = 2;    // the op's rule for the inputs that are tracked
inline constexpr int gradient = 3;   // its place in the backward pass under way; else false or nil
inline constexpr int released = 4;   // true when it has been walked, and what it kept is gone
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

// What few nodes have, by name.
inline constexpr const char *view_field = "view",  // how a view was made, see lua/autograd/view.lua; false: it is none
    *line_field = "line",                          // of the program that recorded it, see lua/autograd/anomaly.lua
        *sink_field = "sink",                      // of a leaf: the program's tensor that is its gradient, see lua/autograd/sink.lua
            *retained_field = "grad",              // the gradient of a result that keeps it
                *name_field = "name", *arity_field = "arguments";  // of a program's function

inline constexpr int most_node_arguments = 1 << 16;

// Whether the value at a stack index looks like a node. A program can get hold of a node, and write into it.
bool is_node(lua_State* L, int index);

// Pushes a new node for the tensor at a stack index, which wants a gradient of its own.
void push_leaf(lua_State* L, const State& state, int tensor);
// Whether the value at a stack index is the leaf of the tensor at another.
bool is_leaf_of(lua_State* L, int index, int tensor);

// Whether the op's result may share memory with its first argument.
bool is_view_node(lua_State* L, int node);

// Pushes its name for messages: that of the op, and the line where that is known.
void push_node_name(lua_State* L, int node);
// Number of arguments that the node has edges and kept values for.
int arity_of(lua_State* L, int node);

// Whether it has been walked, and what it kept is gone.
bool is_released(lua_State* L, int node);

// Whether its gradient goes nowhere: a leaf's node, and one whose backward pass is over.
bool has_no_edges(lua_State* L, int node);

// Number of tensors in the list whose edges, themselves a list with that number as entry 0, lie at a stack index.
inline int edge_count(lua_State* L, int edges) {
  lua_rawgeti(L, edges, 0);
  const double count = lua_tonumber(L, -1);
  lua_pop(L, 1);
  return count >= 0 && count <= most_node_arguments ? static_cast<int>(count) : 0;
}

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
      const int elements = edge_count(L, top + 1);
      for (int k = 1; k <= elements; ++k) {
        lua_rawgeti(L, top + 1, k);
        if (is_node(L, top + 2)) f(top + 2);
        lua_settop(L, top + 1);
      }
    }
    lua_settop(L, top);
  }
}

void open_nodes(lua_State* L, State& state);  // the functions of lua/autograd/node.lua

}  // namespace mt::lua
