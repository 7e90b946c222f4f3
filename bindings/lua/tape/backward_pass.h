// A backward pass over the tape: pending gradients, and the nodes that wait for them.
#pragma once

#include <unordered_map>

#include "bindings/lua/tape/variant.h"

namespace mt::lua {

// The error for a program that modified nodes, or the state of a backward pass, directly.
inline constexpr const char* meddled = "backward: the tape was changed by something other than its own functions";

// A waiting node has a *place*, a number from 1: the position of its gradient in `gradients`, and of the node in the Lua table `nodes`; the
// node has it in slot::gradient. The node of an op with several results has several gradients. In a pass that is itself recorded, gradients
// are tensors of Lua, or lists of them, in the table `tensors`.
struct Pass {
  struct Waiting {
    double number;
    int place;
  };

  std::vector<Tensor> gradients;
  std::unordered_map<int, std::vector<Tensor>> several;
  std::vector<int> free, leaves;
  std::vector<Waiting> line;  // priority queue (heap): the newest node is first
  Tensor made;                // result of the last rule
  int nodes = LUA_NOREF, tensors = LUA_NOREF;
  bool create = false;                    // whether the pass is itself recorded
  bool retain = false;                    // whether saved tensors are kept for another pass
  bool unchecked = false;                 // saved tensors are used even if they have changed
  bool partial = false;                   // the gradients of leaves are incomplete: no hook receives them
  bool selective = false, needs = false;  // whether there is a table of wanted nodes, and one of nodes to run
  double running = 0;                     // number of the running node; its inputs have smaller numbers
  double since = 0;                       // in a selective pass: nodes up to this number are left out

  Tensor& gradient(int place) { return gradients[static_cast<size_t>(place) - 1]; }
};

// Lua's stack during a pass: the arguments of backward() in backward.cpp, then the tables of the pass.
enum PassFrame : int { roots_at = 1, gradients_at, wanted_at, needed_at, helpers_at, nodes_at, tensors_at };

// The place of the node at a stack index, or 0 if it doesn't wait.
int place_of(lua_State* L, const Pass& pass, int node);
void leave_place(lua_State* L, Pass& pass, int place);
// Removes the node at a place from `nodes`, pushes it, and returns its stack index. Its gradient stays at the place.
int take_node(lua_State* L, int place);

// Adds g, which is moved from, to the gradient of a node; in a recorded pass, adds the gradient at a stack index.
void deliver(lua_State* L, State& state, Pass& pass, int node, Tensor& g);
void deliver_recorded(lua_State* L, State& state, Pass& pass, int node, int gradient);
// Passes the gradient of one of several results to the op's node, at stack index `owner`, which waits for those of the others.
void deliver_one_of_several(lua_State* L, State& state, Pass& pass, int owner, int position, int place);
// Pushes the gradient at a place as a tensor of Lua; for an op with several results, a list of those that exist.
void push_gradient(lua_State* L, State& state, Pass& pass, int place);
// Adds g to the gradient at a place.
void add_at(const State& state, Pass& pass, int place, const Tensor& g);
// Assigns a place to the node at a stack index, and adds it to the waiting nodes.
int take_place(lua_State* L, State& state, Pass& pass, int node);

// Removes the places of a pass from its nodes, so that a nested pass can use them, or restores them.
void set_aside(lua_State* L, const Pass& pass, bool aside);

// Whether a selective pass doesn't need the gradient of the node at a stack index.
bool is_left_out(lua_State* L, const Pass& pass, int node);
bool is_wanted(lua_State* L, int node);

// Runs the rule of the node at a stack index, and delivers the gradients; raises an error if a saved tensor has changed.
// `lua_gradient`: the stack index of the node's gradient if hooks or the caller have seen it, else 0.
void run_rule(lua_State* L, State& state, Pass& pass, const Variant& variant, int node, int place, int lua_gradient);
// Raises an error if a saved value of a node has changed. `kept`: the stack index of the first saved value.
void check_kept(lua_State* L, const Variant& variant, int node, int kept);

// Runs the hooks of a node on the gradient at a stack index; a hook may replace it.
void run_hooks(lua_State* L, State& state, int node, int gradient);
bool has_hooks(lua_State* L, int node);
// Stores the gradient of a wanted node; both are at stack indices.
void set_found(lua_State* L, int node, int gradient);
// Accumulates the gradient at a place into its leaf.
void finish_leaf(lua_State* L, State& state, Pass& pass, int place);

void add_node_rules(lua_State* L, State& state);  // adds functions to the table on top of the stack

}  // namespace mt::lua
