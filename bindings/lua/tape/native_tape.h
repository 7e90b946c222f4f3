// The tape of one Lua state: rules of ops, running backward passes, and the Lua functions that it calls.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "bindings/lua/graph/operands.h"
#include "bindings/lua/nn/formula.h"
#include "bindings/lua/tape/node.h"
#include "bindings/lua/tape/node_paths.h"

namespace mt::lua {

// Whether a gradient like `a` can be added to one like `b` without a conversion.
inline bool same_kind(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && settled_device(a.device()) == settled_device(b.device());
}

struct OpRule;
struct Variant;
struct Pass;  // a running backward pass

struct NativeTape {
  NativeTape();
  ~NativeTape();

  bool overwritten = false;     // a tracked tensor was written in place: nodes of views may be out of date
  bool marked = false;          // some node has the program line that recorded it
  double last_number = 0;       // number of the newest node
  uint64_t gradient_epoch = 1;  // changes when a tensor gets another gradient, or another node while it may have one
  std::vector<OpRule> ops;      // by position in the registry
  std::deque<OpRule> added;     // ops that libraries added
  std::deque<OpRule> declared;  // ops declared in Lua, which identifies them by position, from 1
  std::vector<std::unique_ptr<Variant>> variants;
  const Variant *leaf = nullptr, *one_of_several = nullptr, *function = nullptr;
  OpRule *broadcast = nullptr, *conversion = nullptr, *overwriting = nullptr;  // ops of nodes inserted before an argument
  // Lua functions (lua/autograd/tape.lua, anomaly.lua, scalars.lua and follow.lua).
  int variant = LUA_NOREF;                         // variant(op, mask) declares a variant; variant(op) declares the op
  int refresh = LUA_NOREF;                         // refresh(x) renews the node of a view if its base was written to
  int before = LUA_NOREF;                          // before(op, x), before a write to x: returns the base of x, or raises an error
  int rebase = LUA_NOREF;                          // rebase(x, base, node) makes a write to a view part of the history of its base
  int describe = LUA_NOREF;                        // describe(op, x, source, source's node, arguments...) records how a view was created
  int conj = LUA_NOREF;                            // conj(x): torch.conj
  int scale = LUA_NOREF;                           // scale(op, is method, arguments...) does a call with a tracked tensor as a number
  int adopt = LUA_NOREF;                           // adopt(x) creates the node that a tensor awaits
  int follow = LUA_NOREF;                          // follow(op, x) tracks all tensors that share the memory of x
  int listener = LUA_NOREF;                        // listener(op, count, results..., arguments...) is called for each recorded call
  int watcher = LUA_NOREF;                         // watcher(node, name, line, rule, ...) calls the rule of a node with a line
  PathSearch search;                               // memory of nodes_on_paths
  std::vector<std::unique_ptr<Formula>> formulas;  // of modules; Lua identifies them by position, from 1
  Tensor one;                                      // the gradient of a loss by itself, 1
  std::vector<std::unique_ptr<Pass>> passes;
  size_t depth = 0;            // number of nested running passes
  uint64_t last_pass = 0;      // number of the last pass that began
  mutable OperandLists lists;  // of the running graph
};

// Sets a registry reference to the value at a stack index, and releases the old one; LUA_NOREF for nil.
void keep_reference(lua_State* L, int index, int& reference);

void open_backward(lua_State* L, State& state);
void open_gradient_lists(lua_State* L, State& state);

}  // namespace mt::lua
