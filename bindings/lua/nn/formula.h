// Modules whose output is one expression of ops (lua/autograd/formula.lua): forward and backward without a tape.
#pragma once

#include <optional>
#include <vector>

#include "bindings/lua/state/host_lua.h"
#include "engine/graph/executor.h"

namespace mt::lua {

struct State;

struct Formula {
  struct Operand {
    enum class From : uint8_t { output, input, target, entry, value, field, kept };
    From from;
    int index;  // of the entry, from 1; of the value, from 0; or in `names`, of the name of a field, which may store a result
  };
  struct Gradient {
    bool of_parameter;
    int index;  // entry of the input, 0: the input itself; or in `names`, the name of the parameter's gradient
  };

  static constexpr size_t most_operands = 100, most_outputs = 12;
  // Both have the inputs g, output, and the operands. The forward graph returns the output and the results that fields store; the backward
  // graph returns the gradients.
  std::optional<Executor> forward, backward;
  std::vector<Operand> operands;    // the first is the output
  std::vector<uint16_t> kinds;      // of the operands
  std::vector<Gradient> gradients;  // the backward graph's outputs
  bool has_input = false;           // one of them is by the input or by an entry of it
  std::vector<int> kept;            // names of the fields that store further outputs of the forward graph
  std::vector<int> kept_types;      // their dtypes in the last forward; -1 before the first one
  int entries = 0;                  // number of entries of an input table; 0 if the input is a tensor
  uint32_t dims = 0;                // bit d: supports inputs with d dimensions; 0: any
  bool alike = false;               // the entries must have equal sizes
  bool shows = false;               // the output may share memory with an operand, and gradInput with gradOutput
  bool composed = false;            // several ops, each of which would round 16-bit floats: for these the fallback is used
  bool inplace = false;             // the output may overwrite the input, if the module's field `inplace` is set
  int names = LUA_NOREF;            // registry reference to a table of names
};

void open_formula(lua_State* L, State& state);
void open_nested(lua_State* L, State& state);
void open_children(lua_State* L, State& state);

}  // namespace mt::lua
