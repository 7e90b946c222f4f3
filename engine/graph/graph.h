// A graph: a program of ops as a value. It can be run (executor.h), written and read as text (text.h), checked (verify.h), and transformed.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/registry.h"

namespace mt {

// What is known about a tensor before it exists.
struct ValueType {
  DType dtype;
  std::vector<int64_t> sizes;  // unknown_size: any
  static constexpr int64_t unknown_size = -1;
  bool operator==(const ValueType&) const = default;
  bool has_known_sizes() const;
  bool fits(const Tensor& t) const;  // whether a tensor is of this type
};

struct Graph {
  // A value of the graph. The results of all steps are numbered together, in order.
  struct Ref {
    enum class Of : uint8_t { input, constant, result };
    Of of = Of::input;
    int32_t index = 0;
    bool operator==(const Ref&) const = default;
  };

  // A part of a whole number that is computed from sizes of tensors, in postfix notation: 2 * size(x, 1) is {2, size(x, 1), *}. Division
  // rounds down.
  struct SizeToken {
    enum class Type : uint8_t { number, extent, add, subtract, multiply, divide };
    Type type = Type::number;
    int8_t dim = 0;   // of the extent, from 0; negative ones count from the last
    Ref tensor = {};  // of the extent
    int64_t number = 0;
    bool operator==(const SizeToken&) const = default;
  };
  using SizeExpression = std::vector<SizeToken>;

  // An argument of a step.
  struct Argument {
    enum class Type : uint8_t {
      none,       // left out: the default of the op
      immediate,  // a number, complex number, boolean or dtype, as the op receives it: counted from 0
      string,     // in `text`
      value,      // a value of the graph
      values,     // a list of tensors
      size,       // the number `sizes[0]`, as the op receives it
      sizes,      // a list of numbers, as the op receives it
      sizes_of,   // all sizes of a value
    };
    Type type = Type::none;
    bool negative = false;  // minus a value that is a number
    Ref value;
    Value immediate;
    std::shared_ptr<const ScalarValue> element;  // of an immediate that is a complex number
    std::string text;
    std::vector<Ref> values;
    std::vector<SizeExpression> sizes;

    Argument() = default;
    explicit Argument(Ref ref) : type(Type::value), value(ref) {}
    explicit Argument(const Value& scalar) : type(Type::immediate), immediate(scalar) {
      if (scalar.type != Value::Type::element) return;
      element = std::make_shared<const ScalarValue>(*scalar.element);
      immediate.element = element.get();
    }
  };

  // A call of an op with canonical arguments, in the order of its signature.
  struct Step {
    const Op* op = nullptr;
    bool times = false;  // returns its first argument unchanged if its second one, a number, is 1
    int32_t first = 0;   // number of its first result
    std::vector<Argument> arguments = {};
    std::optional<ValueType> into = std::nullopt;  // of an out argument that tells the op its sizes, as in x:uniform()
    // Tensors that an op overwrites besides its results, as the steps of optimisers do: copies that only this step reads before, or inputs
    // and constants. Later steps read the new elements.
    std::vector<Ref> writes = {};
    std::string origin = {};  // the line of the program that made it: "train.lua:12"
    int32_t fusion = 0;       // adjacent steps with the same number run as one loop (fused_steps.h); 0: alone
    // Of a step of control flow (control.h). They have no constants and no updates: what they read from outside are operands of the step.
    // The last one has an output for each result.
    std::vector<std::shared_ptr<const Graph>> bodies = {};
    int results() const { return bodies.empty() ? op->decl->signature.result_count : static_cast<int>(bodies.back()->outputs.size()); }
    bool has(int argument) const { return arguments[static_cast<size_t>(argument)].type != Argument::Type::none; }
  };

  // A tensor, or an argument of another kind. Numbers that are dimensions or positions count from 1.
  struct Input {
    std::string name;
    uint16_t kinds = kind_tensor;
    bool optional = false;          // if it is absent, ops get their default for it
    std::optional<ValueType> type;  // what a tensor must have
    // Names of unknown sizes in `type`, by dimension; empty, or fewer: the others have none. Sizes with the same name are equal in a run.
    std::vector<std::string> size_names = {};
    std::string_view name_of_size(size_t dim) const { return dim < size_names.size() ? size_names[dim] : std::string_view(); }
  };

  // A tensor that the graph shares with its program.
  struct Constant {
    std::string name;
    Tensor tensor;
  };

  // A write to an input or a constant after the last step.
  struct Update {
    Ref target, value;
  };

  std::vector<Input> inputs;
  std::vector<Constant> constants;
  std::vector<Step> steps;
  std::vector<Update> updates;
  std::vector<Ref> outputs;
  std::vector<std::string> result_names;               // empty or shorter: the others have none
  std::vector<std::optional<ValueType>> result_types;  // likewise, where known

  int32_t result_count() const { return steps.empty() ? 0 : steps.back().first + steps.back().results(); }
  std::string_view name_of_result(int32_t result) const {
    return static_cast<size_t>(result) < result_names.size() ? result_names[static_cast<size_t>(result)] : std::string_view();
  }
  std::optional<ValueType> type_of(Ref ref) const;

  // The kinds that an argument may have in all runs.
  uint16_t kinds_of(const Argument& argument) const;

  // Whether an argument may be absent in a run.
  bool is_optional(const Argument& argument) const;

  // Appends a step, whose arguments are in one of the orders that the op accepts; arguments by name follow those in order, with their names
  // in `names`. Numbers among the arguments count from 1, or from 0. Raises an error in the name of the op.
  Ref append(const Op& op, std::vector<Argument> arguments, std::span<const std::string> names = {}, bool counts_from_1 = true);
};

// The kinds that a value has; 0 for none.
uint16_t kinds_of(const Value& value);

// The first form of the op with all arguments of the step, and no other required ones; null if there is none.
const Form* form_of(const Graph::Step& step, bool with_methods);

// Whether a step, or a body of it, draws random numbers: it must run even if nothing uses its results, because it advances the generator.
bool draws(const Graph::Step& step);

// Whether append() would read the step's arguments, in the signature's order, as they are.
bool is_in_order(const Graph& graph, const Graph::Step& step);

// A short form of the graph's name for a value: "x", "weight", "%3". Results count from 1.
std::string name_of(const Graph& graph, Graph::Ref ref);
std::string input_name(const Graph& graph, size_t i);

// Calls f with each value that an argument refers to. f may change it.
template <class A, class F> void each_ref(A& argument, F&& f) {
  using Type = Graph::Argument::Type;
  if (argument.type == Type::value || argument.type == Type::sizes_of) f(argument.value);
  for (auto& ref : argument.values) f(ref);
  for (auto& expression : argument.sizes) {
    for (auto& token : expression) {
      if (token.type == Graph::SizeToken::Type::extent) f(token.tensor);
    }
  }
}

}  // namespace mt
