// The tape's data of an op: how calls are recorded, and its variants, one per combination of tracked arguments. A variant says what a node
// saves, and what runs in a backward pass. lua/autograd/variant.lua derives variants from the rules on first use.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "bindings/lua/tape/native_tape.h"
#include "engine/graph/executor.h"

namespace mt::lua {

// The part of an argument, or of the result, that a node saves. `like`: the tensor, without a check that its elements don't change.
enum class Keep : uint8_t { nothing, value, size, type, like };

struct Variant {
  // The kinds of nodes: a call of an op, a leaf, one of several results, a call of a program's function.
  enum class Of : uint8_t { op, leaf, one_of_several, function };
  Of of = Of::op;
  bool view = false;     // the result may share memory with the first argument
  bool keeps = false;    // nodes have saved values, which a backward pass frees
  bool fresh = false;    // the rule returns new tensors
  bool whole = false;    // one function returns the gradients of all arguments
  bool rest = false;     // all results but the first are saved
  bool refused = false;  // there is no derivative
  int arity = 0;         // number of relevant arguments
  int last_slot = 0;     // of a recorded node. LuaJIT allocates a table of 16 slots, including 0, in one block
  Keep result = Keep::nothing, arguments[Signature::max_params] = {};
  std::vector<std::optional<Executor>> graphs;  // by argument: the rule, if it is an expression
  std::string name;
  int rules = LUA_NOREF;   // Lua functions: one per argument, or `all`; `missing`: why there is none; `arguments`: their names
  int handle = LUA_NOREF;  // the userdata that represents the variant in nodes
};

// An op on the tape.
struct OpRule {
  std::string name;
  const Op* op = nullptr;                 // the op with its arguments; null for ops of Lua with any arguments
  bool known = false;                     // it has been declared
  bool constant = false;                  // its result has no derivative, on purpose
  bool view = false;                      // its result may share memory with its first argument
  bool described = false;                 // Lua describes its views at once, because their nodes have too little to replay them
  bool broadcast = false;                 // gradients are reduced to the arguments' sizes and types
  bool keeps_arguments = false;           // a result that is also an argument is copied before it is overwritten
  std::array<const Variant*, 8> first{};  // by mask of tracked arguments, the first at bit 0
  std::vector<std::pair<uint32_t, const Variant*>> others;

  const Variant* find(uint32_t mask) const;
};

// The variant of the node at a stack index, or null if it has none.
const Variant* variant_of(lua_State* L, int node);
void push_variant(lua_State* L, const Variant& variant);

// The rule of an op of the registry or of a library; null for other ops. Lua declares it on first use.
OpRule* rule_of(lua_State* L, State& state, const Op& op);
// The rule for the value at a stack index: the name of an op, or a number from declareOp. Raises an error for other values.
OpRule& rule_at(lua_State* L, State& state, int index);
// The variant for a mask of tracked arguments, which Lua declares on first use.
const Variant& variant_for(lua_State* L, State& state, OpRule& rule, uint32_t mask);

void open_variants(lua_State* L, State& state);

}  // namespace mt::lua
