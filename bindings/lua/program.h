// Programs: ops that run one after the other on operands that lie on Lua's stack, without a step in Lua. Rules of the tape and formulas of
// modules are written as expressions, from which lua/autograd/expression.lua makes them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bindings/lua/state/state.h"

namespace mt::lua {

// What an operand may be: the kinds of the argument that it stands for.
struct OperandKinds {
  uint16_t kinds = kind_tensor;
  bool optional = false;  // it may be nil, which leaves the step's argument out, too
};

// Where an argument of a step comes from.
struct Source {
  enum class Type : uint8_t { gradient, operand, size, extent, step, number, none };
  Type type;
  uint8_t param;      // of the step's op
  int8_t index = 0;   // of the operand, from 0; of a step's result, from 0
  int8_t extent = 0;  // which size, from 1; negative ones count from the last
  bool negative = false;
  bool of_step = false;  // size, extent: of a step's result
  double number = 0;
};

// One op of a program.
struct ProgramStep {
  const Op* op;
  bool times;  // passes its first argument on where the second is 1
  int first;   // of its results among those of all steps
  std::vector<Source> sources;
  std::vector<Value> values;  // defaults of all its arguments
  uint32_t serves = 0;        // bit i: output i is made of it
};

struct Program {
  static constexpr int most_results = 64, most_outputs = 12;
  static constexpr int gradient = -1;  // an output that is the gradient itself
  std::vector<ProgramStep> steps;
  int results = 0;           // of all steps
  std::vector<int> outputs;  // each the number of a result
  bool present = false;
};

// What becomes of an output of a program.
struct Target {
  Tensor* given = nullptr;  // it is written there, if there is one
  Tensor* sum = nullptr;    // else scale times it is added there, where the op can: then it is `added`, and not made
  double scale = 1;
  bool added = false;
};

// Where a program comes from, for messages: the function that was called, and what the rule or formula is of.
struct ProgramPlace {
  std::string_view function, subject;
};

// Reads the table at a stack index: a list of steps {op =, times =, arguments...}, each argument {type, number, extent =, negative =}, and
// the field `outputs`, a list of numbers of results, from 1, 0 for the gradient; the last step's result where there is no such field.
// Raises C++ errors, in the name of `where`.
Program read_program(lua_State* L, int table, std::span<const OperandKinds> operands, const ProgramPlace& place);

// Runs it with the operands that lie at stack index `operands` and after. `made` has room for its results, empty ones; `targets`, if given,
// an entry for each output, of which the `wanted` ones (bit i: output i) are made. Raises C++ errors.
void run_program(lua_State* L, const State& state, const Program& program, int operands, Tensor* gradient, Tensor* made,
                 Target* targets = nullptr, uint32_t wanted = ~uint32_t{0});

// Room for the results of a program.
class Made {
 public:
  explicit Made(const Program& program) : count_(static_cast<size_t>(program.results)) {
    std::uninitialized_default_construct_n(tensors(), count_);
  }
  ~Made() { std::destroy_n(tensors(), count_); }
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;
  Tensor* tensors() { return reinterpret_cast<Tensor*>(room_); }

 private:
  size_t count_;
  alignas(Tensor) std::byte room_[sizeof(Tensor) * Program::most_results];
};

// Output i of a program that has run.
inline Tensor& output_of(const Program& program, int i, Tensor* gradient, Tensor* made) {
  const int at = program.outputs[static_cast<size_t>(i)];
  return at == Program::gradient ? *gradient : made[at];
}

std::string text_at(lua_State* L, int index);                        // of a string there, else empty
std::string text_field(lua_State* L, int index, const char* field);  // likewise
bool flag_field(lua_State* L, int index, const char* field);

}  // namespace mt::lua
