// What the tape knows of an op: how it is recorded, and its variants, one for each combination of tracked arguments, which say what a node
// keeps and what runs in a backward pass. lua/autograd/variant.lua works them out from the rules, when they are first needed.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "bindings/lua/tape/native_tape.h"

namespace mt::lua {

// What a node keeps of an argument, or of the result. `like`: the argument, whatever happens to its elements.
enum class Keep : uint8_t { nothing, value, size, type, like };

struct Variant {
  // What a node stands for: a call of an op, a leaf, one of several results, a call of a program's own function.
  enum class Of : uint8_t { op, leaf, one_of_several, function };
  Of of = Of::op;
  bool view = false;     // the result may share memory with the first argument
  bool keeps = false;    // something is kept, and let go when the node has been walked
  bool fresh = false;    // what the rule gives are tensors of its own
  bool whole = false;    // one function gives the gradients of all arguments
  bool rest = false;     // of the results all but the first are kept
  bool refused = false;  // there is no derivative
  int arity = 0;         // number of arguments that matter
  int last_slot = 0;     // of a node that is recorded: LuaJIT allocates a table of 16 slots, with that of 0, in one piece
  Keep result = Keep::nothing, arguments[Signature::max_params] = {};
  std::vector<Program> programs;  // by argument
  std::string name;
  int rules = LUA_NOREF;   // Lua's functions: one for each argument, or `all`; `missing`, why there is none; `arguments`, their names
  int handle = LUA_NOREF;  // the userdata by which nodes name the variant
};

// An op on the tape.
struct OpRule {
  std::string name;
  const Op* op = nullptr;                 // whose arguments it has; null for one that Lua made, of any
  bool known = false;                     // it has been declared
  bool constant = false;                  // its result has no derivative, on purpose
  bool view = false;                      // its result may share memory with its first argument
  bool described = false;                 // a view that Lua describes at once, as its node does not say how to make it again
  bool broadcast = false;                 // gradients are folded back to the arguments' sizes and types
  bool keeps_arguments = false;           // a result that is also an argument is copied before it is overwritten
  std::array<const Variant*, 8> first{};  // by mask of tracked arguments, the first at bit 0
  std::vector<std::pair<uint32_t, const Variant*>> others;

  const Variant* find(uint32_t mask) const;
};

// The variant of the node at a stack index, or null where there is none.
const Variant* variant_of(lua_State* L, int node);
void push_variant(lua_State* L, const Variant& variant);

// The rule of an op of the registry; null for another. Lua declares it when it is first asked for.
OpRule* rule_of(lua_State* L, State& state, const Op& op);
// The one that Lua means at a stack index: a name of an op, or the number that declareOp gave. Raises an error where it means none.
OpRule& rule_at(lua_State* L, State& state, int index);
// The variant for some tracked arguments, which Lua declares when it is first needed.
const Variant& variant_for(lua_State* L, State& state, OpRule& rule, uint32_t mask);

void open_variants(lua_State* L, State& state);

}  // namespace mt::lua
