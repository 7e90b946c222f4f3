// What one Lua state's tape has: rules of ops, backward passes under way, Lua's functions for what is asked of Lua.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "bindings/lua/call/lua_arguments.h"
#include "bindings/lua/formula.h"
#include "bindings/lua/program.h"
#include "bindings/lua/tape/node.h"
#include "bindings/lua/tape/node_paths.h"

namespace mt::lua {

// Whether a gradient of one is added to the other as it is.
inline bool same_kind(const Tensor& a, const Tensor& b) { return a.dtype() == b.dtype() && a.device() == b.device(); }

struct OpRule;
struct Variant;
struct Pass;  // a walk under way

struct NativeTape {
  NativeTape();
  ~NativeTape();

  bool overwritten = false;     // a tracked tensor was written in place: views may have to be viewed again
  bool marked = false;          // some node knows the line that recorded it
  double last_number = 0;       // of a node
  std::vector<OpRule> ops;      // by position in the registry
  std::deque<OpRule> added;     // ops that libraries brought
  std::deque<OpRule> declared;  // ops that Lua made: Lua names them by their positions, from 1
  std::vector<std::unique_ptr<Variant>> variants;
  const Variant *leaf = nullptr, *one_of_several = nullptr, *function = nullptr;
  OpRule *broadcast = nullptr, *conversion = nullptr, *overwriting = nullptr;  // of nodes that stand before an argument
  // Lua's functions (lua/autograd/tape.lua and anomaly.lua).
  int variant = LUA_NOREF;                         // variant(op, mask) declares one; variant(op) the op
  int refresh = LUA_NOREF;                         // refresh(x) gives a view its node anew, if what it is a view of was written to
  int before = LUA_NOREF;                          // before(op, x) tells what x is a view of, which is about to be written, or refuses that
  int rebase = LUA_NOREF;                          // rebase(x, what, node) makes what was written to a view part of its base's history
  int describe = LUA_NOREF;                        // describe(op, x, source, source's node, arguments...) notes how a view was made
  int follow = LUA_NOREF;                          // follow(op, x) follows all that share x's memory
  int listener = LUA_NOREF;                        // listener(op, count, results..., arguments...) hears of each call
  int watcher = LUA_NOREF;                         // watcher(node, name, line, rule, ...) calls the rule of a node that knows its line
  PathSearch search;                               // of the call of nodes_on_paths under way
  std::vector<std::unique_ptr<Formula>> formulas;  // of modules; Lua knows their numbers, from 1
  Tensor one;                                      // the gradient of a loss by itself
  std::vector<std::unique_ptr<Pass>> passes;
  size_t depth = 0;              // passes under way
  uint64_t last_pass = 0;        // number of the one that began last
  std::vector<int64_t> sizes;    // that an operand is as a table, for the step that runs
  std::vector<Tensor*> tensors;  // likewise
};

// Keeps the value at a stack index for later, in place of what was kept there; nil for none.
void keep_reference(lua_State* L, int index, int& reference);

void open_walk(lua_State* L, State& state);

}  // namespace mt::lua
