// A backward pass along the tape: the gradients under way, and the nodes that they are for.
#pragma once

#include <unordered_map>

#include "bindings/lua/tape/variant.h"

namespace mt::lua {

// What a program has written into a node, or done inside a walk, that it should have left alone.
inline constexpr const char* meddled = "backward: the tape was changed by something other than its own functions";

// Where a node waits is its *place*: the position of its gradient here, of the node itself in the Lua table `nodes`, and the number in the
// node's slot for its gradient. Places count from 1. The node of an op with several results has several gradients. Those of a pass that is
// itself recorded are Lua's tensors, in the table `tensors`, or lists of them.
struct Pass {
  struct Waiting {
    double number;
    int place;
  };

  std::vector<Tensor> gradients;
  std::unordered_map<int, std::vector<Tensor>> several;
  std::vector<int> free, leaves;
  std::vector<Waiting> line;  // a heap: the newest node first
  Tensor made;                // by the rule that has just run
  int nodes = LUA_NOREF, tensors = LUA_NOREF;
  bool create = false;                    // the pass is itself recorded
  bool retain = false;                    // what rules need is kept for another pass
  bool unchecked = false;                 // what was kept is taken as it is now
  bool partial = false;                   // the gradients of leaves are not their whole ones: no hook sees them
  bool selective = false, needs = false;  // a table of wanted nodes was given, one of nodes worth running
  double running = 0;                     // number of the node that runs: its inputs have smaller ones
  double since = 0;                       // of a selective pass: what was recorded up to here is left out

  Tensor& gradient(int place) { return gradients[static_cast<size_t>(place) - 1]; }
};

// A walk's frame on Lua's stack: what walk() in walk.cpp was given, then the pass's tables.
enum WalkFrame : int { roots_at = 1, gradients_at, wanted_at, needed_at, helpers_at, nodes_at, tensors_at };

// Where the node at a stack index waits, or 0.
int place_of(lua_State* L, const Pass& pass, int node);
void leave_place(lua_State* L, Pass& pass, int place);
// Pushes the node whose turn it is, and gives its stack index. Its gradient stays in its place.
int take_node(lua_State* L, int place);

// Adds g, which is used up, to what has arrived at a node; in a recorded pass the gradient at a stack index.
void deliver(lua_State* L, State& state, Pass& pass, int node, Tensor& g);
void deliver_recorded(lua_State* L, State& state, Pass& pass, int node, int gradient);
// One of several results has its gradient: the op's node, at a stack index, waits for the others'.
void deliver_one_of_several(lua_State* L, State& state, Pass& pass, int owner, int position, int place);
// Pushes the gradient that waits there as Lua's; of an op with several results the list of them, without those that are not there.
void push_gradient(lua_State* L, State& state, Pass& pass, int place);
// Adds g, which is used up, to what waits at a place.
void add_at(const State& state, Pass& pass, int place, const Tensor& g);
// A place for the node at a stack index, which becomes one of those that wait.
int take_place(lua_State* L, State& state, Pass& pass, int node);

// Takes the places of a pass off its nodes, so that another may use them, or puts them back.
void set_aside(lua_State* L, const Pass& pass, bool aside);

// Whether the gradient of the node at a stack index leads nowhere in a selective pass.
bool is_left_out(lua_State* L, const Pass& pass, int node);
bool is_wanted(lua_State* L, int node);

// Runs the rule of the node at a stack index, and delivers what it gives; an error names what was changed of what the node keeps.
// `lua_gradient`: the stack index of its gradient in Lua, if that was there for others to see, else 0.
void run_rule(lua_State* L, State& state, Pass& pass, const Variant& variant, int node, int place, int lua_gradient);
// Raises the error that names what was changed of what a node keeps, if anything was. `kept`: where that lies on the stack.
void check_kept(lua_State* L, const Variant& variant, int node, int kept);

// Runs the hooks of a node on the gradient at a stack index, in whose place they may give another.
void run_hooks(lua_State* L, State& state, int node, int gradient);
bool has_hooks(lua_State* L, int node);
// The gradient of a wanted node, at a stack index, is found.
void set_found(lua_State* L, int node, int gradient);
// Gives the leaf that waits there its gradient.
void finish_leaf(lua_State* L, State& state, Pass& pass, int place);

void add_node_rules(lua_State* L, State& state);  // functions, to the table on top of the stack

}  // namespace mt::lua
