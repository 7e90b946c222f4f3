// Modules whose output is one expression of ops (lua/autograd/formula.lua): forward and backward without a tape.
#pragma once

#include "bindings/lua/program.h"

namespace mt::lua {

struct Formula {
  struct Operand {
    enum class From : uint8_t { output, input, target, entry, value, field, kept };
    From from;
    int index;  // of the entry, from 1; of the value, from 0; of the name of a field among `names`, in which a result may be kept
  };
  struct Gradient {
    bool of_parameter;
    int index;  // entry of the input, 0 the input itself; or the name of the parameter's gradient among `names`
  };

  static constexpr size_t most_operands = 100;
  Program forward, backward;
  std::vector<Operand> operands;    // the first is the output
  std::vector<Gradient> gradients;  // the backward program's outputs
  bool has_input = false;           // one of them is by the input, or by an entry
  std::vector<int> kept;            // names of the fields that the further results of one of the forward program's ops are kept in
  int first_kept = 0;               // the number of the first such result
  std::vector<int> kept_types;      // their dtypes in the last forward, -1 before the first
  int entries = 0;                  // of the table that the input is; 0 where it is a tensor
  uint32_t dims = 0;                // bit d: an input of d dimensions is taken; 0 for any
  bool alike = false;               // the entries must be of equal sizes
  bool shows = false;               // the output may share memory with an operand, and gradInput with gradOutput
  bool composed = false;            // several ops, each of which would round tensors of 16 bits: those take the fallback
  bool inplace = false;             // it may be written over the input, where the module has the field `inplace`
  int names = LUA_NOREF;            // a table of them
};

void open_formula(lua_State* L, State& state);
void open_nested(lua_State* L, State& state);
void open_children(lua_State* L, State& state);

}  // namespace mt::lua
