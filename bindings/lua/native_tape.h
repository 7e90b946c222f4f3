// The part of the tape that runs without Lua: ordinary nodes are recorded, and a plain backward pass runs them, as long as their rules are
// expressions (lua/autograd/expression.lua). A node is the same Lua table whoever made it (lua/autograd/node.lua).
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "bindings/lua/formula.h"
#include "bindings/lua/match.h"
#include "bindings/lua/node.h"
#include "bindings/lua/node_paths.h"
#include "bindings/lua/program.h"

namespace mt::lua {

// Whether a gradient of one is added to the other as it is.
inline bool same_kind(const Tensor& a, const Tensor& b) { return a.dtype() == b.dtype() && a.device() == b.device(); }

// What a node keeps of an argument.
enum class Keep : uint8_t { nothing, value, size, type, like };

// lua/autograd/variant.lua's, for one op and the arguments of it that are tracked.
struct Variant {
  static constexpr int most_arguments = 3;
  int arity = 0;
  int last_slot = 0;  // of a node that is recorded here: LuaJIT allocates a table of 16 slots, with that of 0, in one piece
  bool broadcast = false, view = false, programmed = false, keeps = false;
  Keep result = Keep::nothing, arguments[most_arguments] = {};
  Program programs[most_arguments];
  int table = LUA_NOREF, gone = LUA_NOREF;  // the Lua variant, and the one of a node that has been walked
};

struct Pass;  // a walk under way

struct NativeTape {
  NativeTape();
  ~NativeTape();

  bool records = false;                                 // the tape's own recorder is set, no other
  bool overwritten = false;                             // a tracked tensor was written in place: views may have to be viewed again
  double last_number = 0;                               // of a node
  std::vector<std::unique_ptr<Variant>> declared;       // a Lua variant has its position, from 1, as entry 0
  std::vector<std::array<const Variant*, 8>> variants;  // by op of the registry and mask of tracked arguments
  const Variant* broadcast = nullptr;                   // of the node of an argument that was broadcast
  int leaf = LUA_NOREF;                                 // what is in the place of a leaf's variant
  PathSearch search;                                    // of the call of nodes_on_paths under way
  Tensor one;                                           // the gradient of a loss by itself
  std::vector<std::unique_ptr<Formula>> formulas;       // of modules; Lua knows their numbers, from 1
  std::vector<std::unique_ptr<Pass>> passes;
  size_t depth = 0;              // passes under way
  uint64_t last_pass = 0;        // number of the one that began last
  std::vector<int64_t> sizes;    // that an operand is as a table, for the step that runs
  std::vector<Tensor*> tensors;  // likewise
};

// The variant of the node at a stack index, or null where it was not declared. A program can get hold of a node, and write anything into
// it.
const Variant* variant_of(lua_State* L, const NativeTape& tape, int node);

// The variant of an op for the tracked arguments among args; null where Lua has to record.
const Variant* find_variant(const State& state, const Op& op, const Value* args);

void open_native_tape(lua_State* L, State& state);  // declaring variants
void open_walk(lua_State* L, State& state);

}  // namespace mt::lua
