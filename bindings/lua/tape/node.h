// A node of the tape: the recorded call that produced a tracked tensor. It is a Lua array, and the environment table of the tensor, so that
// the collector sees all edges: a graph is freed together with its loss. Only this file defines the slots; Lua code uses the functions that
// lua/autograd/node.lua describes.
//
// For ops with up to three relevant arguments the array has at most 15 slots, because LuaJIT allocates such a table in one block.
#pragma once

#include "bindings/lua/state/host_lua.h"

namespace mt::lua {

struct State;

namespace slot {
inline constexpr int transient = 0;                   // the result, if only the graph refers to it: freed with the node (see nn.Sequential)
inline constexpr int number = 1;                      // in the order of recording: inputs have smaller numbers. 0 for a leaf
inline constexpr int variant = 2;                     // the op's rule for this set of tracked inputs
inline constexpr int gradient = 3;                    // its place in the running backward pass (backward_pass.h), or false or nil
inline constexpr int released = 4;                    // true after a backward pass has visited it and freed its saved values
inline constexpr int hooks = 5;                       // list of functions, or false or nil
inline constexpr int result = 6, result_version = 7;  // saved for the rule, and its version at that time
inline constexpr int leaf_tensor = 6, leaf_gradient = 7;  // the same slots of a leaf
inline constexpr int owner = 8, position = 9,
                     positions = 10;  // of one of several results: the op's node, its position, and for the first the second result
// Of argument i, from 0: its node, or a list of nodes if the argument is a list of tensors; its saved value; the version of that value.
constexpr int edge(int i) { return 8 + 3 * i; }
constexpr int value(int i) { return 9 + 3 * i; }
constexpr int version(int i) { return 10 + 3 * i; }
}  // namespace slot

// Named fields, which few nodes have.
inline constexpr const char *view_field = "view",  // how a view was created, see lua/autograd/view.lua; false: not a view
    *line_field = "line",                          // program line that recorded it, see lua/autograd/anomaly.lua
        *sink_field = "sink",                      // of a leaf: the program's tensor for its gradient, see lua/autograd/sink.lua
            *rows_field = "rows",                  // of a leaf: its gradient as rows, see lua/autograd/row_gradient.lua
                *retained_field = "grad",          // the gradient of a result with retainGrad
                    *name_field = "name", *arity_field = "arguments";  // of a function of the program

inline constexpr int most_node_arguments = 1 << 16;

// Whether the value at a stack index looks like a node. Programs can get a node, and modify it.
bool is_node(lua_State* L, int index);

// Pushes a new leaf node for the tensor at a stack index, which requires a gradient.
void push_leaf(lua_State* L, const State& state, int tensor);
// Whether the value at a stack index is the leaf of the tensor at stack index `tensor`.
bool is_leaf_of(lua_State* L, int index, int tensor);

// Pushes the gradient that backward passes have stored at a node and returns 1; returns 0 if there is none.
int push_gradient(lua_State* L, int node);

// Whether the op's result may share memory with its first argument.
bool is_view_node(lua_State* L, int node);

// Pushes the name of a node for messages: the name of the op, and the program line if it is known.
void push_node_name(lua_State* L, int node);
// The number of arguments for which the node has edges and saved values.
int arity_of(lua_State* L, int node);

// Whether a backward pass has visited it and freed its saved values.
bool is_released(lua_State* L, int node);

// Whether it has no inputs for its gradient: true for leaves and released nodes.
bool has_no_edges(lua_State* L, int node);

// The number of tensors in a list argument, from the list of its edges at a stack index, which has the number as element 0.
inline int edge_count(lua_State* L, int edges) {
  lua_rawgeti(L, edges, 0);
  const double count = lua_tonumber(L, -1);
  lua_pop(L, 1);
  return count >= 0 && count <= most_node_arguments ? static_cast<int>(count) : 0;
}

// Calls f with the stack index of each node that receives a gradient from n.
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
