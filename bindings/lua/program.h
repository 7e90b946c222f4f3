// Programs: sequences of ops on operands on Lua's stack, which run without Lua code. lua/autograd/expression.lua compiles them from the
// expressions in rules of the tape and formulas of modules.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bindings/lua/state/host_lua.h"
#include "engine/core/kind.h"
#include "engine/core/registry.h"

namespace mt::lua {

struct State;

// The possible kinds of an operand: those of the argument that it represents.
struct OperandKinds {
  uint16_t kinds = kind_tensor;
  bool optional = false;  // it may be nil; then the step's argument is left out
};

// The source of a step's argument.
struct Source {
  enum class Type : uint8_t { gradient, operand, size, extent, step, number, none };
  Type type;
  uint8_t param;      // parameter number of the step's op
  int8_t index = 0;   // of the operand, from 0; of a step's result, from 0
  int8_t extent = 0;  // dimension of the size, from 1; negative ones count from the last
  bool negative = false;
  bool of_step = false;  // for size and extent: of a step's result
  double number = 0;
};

// One op of a program.
struct ProgramStep {
  const Op* op;
  bool times;  // returns its first argument unchanged if the second one is 1
  int first;   // number of its first result among those of all steps
  std::vector<Source> sources;
  std::vector<Value> values;  // defaults of all its arguments
  uint32_t serves = 0;        // bit i: output i depends on it
};

struct Program {
  static constexpr int most_results = 64, most_outputs = 12;
  static constexpr int gradient = -1;  // an output that is the gradient itself
  std::vector<ProgramStep> steps;
  int results = 0;           // number of results of all steps
  std::vector<int> outputs;  // each the number of a result
  bool present = false;
};

// The destination of a program's output.
struct Target {
  Tensor* given = nullptr;  // if not null, receives the output
  Tensor* sum = nullptr;    // else, if the op can accumulate, scale times the output is added to it, and `added` is set
  double scale = 1;
  bool added = false;
};

// The origin of a program, for messages: the called function, and the subject of the rule or formula.
struct ProgramPlace {
  std::string_view function, subject;
};

// Reads the table at a stack index: a list of steps {op =, times =, arguments...}, with arguments {type, number, extent =, negative =}, and
// the field `outputs`, a list of numbers of results, from 1, and 0 for the gradient; without it the output is the last step's result.
// Raises C++ errors in the name of `place`.
Program read_program(lua_State* L, int table, std::span<const OperandKinds> operands, const ProgramPlace& place);

// Runs a program with the operands from stack index `operands` on. `made` has empty tensors for all results; `targets`, if not null, an
// element for each output. Computes the `wanted` outputs (bit i: output i). Raises C++ errors.
void run_program(lua_State* L, const State& state, const Program& program, int operands, Tensor* gradient, Tensor* made,
                 Target* targets = nullptr, uint32_t wanted = ~uint32_t{0});

// Tensors for the results of a program.
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

std::string text_at(lua_State* L, int index);                        // the string at a stack index, or empty for other values
std::string text_field(lua_State* L, int index, const char* field);  // the same for a field
bool flag_field(lua_State* L, int index, const char* field);

}  // namespace mt::lua
