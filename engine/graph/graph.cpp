#include "engine/graph/graph.h"

#include <algorithm>

#include "engine/arguments/convert.h"
#include "engine/arguments/match.h"

namespace mt {
namespace {

using Argument = Graph::Argument;

// {} is a list of sizes or of tensors.
bool is_empty_list(const Argument& argument) { return argument.type == Argument::Type::sizes && argument.sizes.empty(); }

// The arguments of a new step, for the matcher. Each must fit for all kinds that it may have when the graph runs.
class StepArguments {
 public:
  StepArguments(const Graph& graph, const Op& op, std::span<const Argument> arguments, std::span<const std::string> names)
      : graph_(graph), op_(op), arguments_(arguments), names_(names) {}
  int count() const { return static_cast<int>(arguments_.size() - names_.size()); }
  bool fits(int at, const Step& step) const {
    const Argument& argument = arguments_[static_cast<size_t>(at - 1)];
    uint16_t accepted = step.kinds;
    if ((accepted & number_kinds) != 0) accepted |= number_kinds;  // all kinds of numbers are equivalent
    if ((accepted & kind_dtype) != 0) accepted |= kind_string;
    if ((accepted & kind_string) != 0) accepted |= kind_dtype;
    if (is_empty_list(argument)) return (accepted & (kind_sizes | kind_tensors)) != 0;
    const uint16_t kinds = graph_.kinds_of(argument);
    return kinds != 0 && (kinds & ~accepted) == 0 && (step.optional || !graph_.is_optional(argument));
  }
  bool is_left_out(int at) const { return arguments_[static_cast<size_t>(at - 1)].type == Argument::Type::none; }
  static constexpr bool is_size(int) { return false; }
  int named(int target) const {
    if (target < 0) return 0;
    const auto found = std::ranges::find(names_, op_.decl->signature.params[target].name);
    return found == names_.end() ? 0 : count() + static_cast<int>(found - names_.begin()) + 1;
  }
  int named_count() const {
    int given = 0;
    for (int at = count() + 1; at <= static_cast<int>(arguments_.size()); ++at) given += is_left_out(at) ? 0 : 1;
    return given;
  }

 private:
  const Graph& graph_;
  const Op& op_;
  std::span<const Argument> arguments_;
  std::span<const std::string> names_;
};

// Turns a size that counts from 1 into one that counts from 0.
const Graph::SizeToken one_less[] = {{.number = 1}, {.type = Graph::SizeToken::Type::subtract}};

// Turns what counts from 1 into what the op receives.
void count_argument(Argument& argument, const Param& p, std::string_view op, bool counts_from_1) {
  using Type = Argument::Type;
  if (argument.type == Type::immediate && mt::kinds_of(argument.immediate) == number_kinds) {
    if (p.takes(kind_number)) return;
    if (p.takes(kind_sizes) && !p.takes(number_kinds)) return;
    make_whole(argument.immediate, op, p.name);
    if (counts_from_1) count_from_0(argument.immediate, p, op);
  } else if (argument.type == Type::string && p.takes(kind_dtype)) {
    Value value;
    read_element_kind(value, argument.text, DType::float64, op, p.name);
    argument = Argument(value);
  } else if (is_empty_list(argument) && !p.takes(kind_sizes)) {
    argument.type = Type::values;
  } else if (!counts_from_1) {
    return;
  } else if (argument.type == Type::sizes && p.takes_counted_list()) {
    for (Graph::SizeExpression& expression : argument.sizes) {
      if (expression.size() == 1 && expression[0].type == Graph::SizeToken::Type::number)
        count_from_0(std::span(&expression[0].number, 1), p, op);
      else
        expression.insert(expression.end(), std::begin(one_less), std::end(one_less));
    }
  } else if (argument.type == Type::size && !p.takes(kind_number) && p.takes(kind_dim | kind_index)) {
    argument.sizes[0].insert(argument.sizes[0].end(), std::begin(one_less), std::end(one_less));
  }
}

}  // namespace

bool ValueType::has_known_sizes() const { return std::ranges::count(sizes, unknown_size) == 0; }

bool ValueType::fits(const Tensor& t) const {
  if (t.dtype() != dtype || static_cast<size_t>(t.dim()) != sizes.size()) return false;
  for (int d = 0; d < t.dim(); ++d) {
    const int64_t size = sizes[static_cast<size_t>(d)];
    if (size != unknown_size && size != t.size(d)) return false;
  }
  return true;
}

std::optional<ValueType> Graph::type_of(Ref ref) const {
  const auto at = static_cast<size_t>(ref.index);
  switch (ref.of) {
    case Ref::Of::input:
      return inputs[at].type;
    case Ref::Of::constant: {
      const Tensor& t = constants[at].tensor;
      return ValueType{t.dtype(), {t.sizes().begin(), t.sizes().end()}};
    }
    case Ref::Of::result:
      break;
  }
  return at < result_types.size() ? result_types[at] : std::nullopt;
}

uint16_t Graph::kinds_of(const Argument& argument) const {
  switch (argument.type) {
    case Argument::Type::none:
      return 0;
    case Argument::Type::immediate:
      return mt::kinds_of(argument.immediate);
    case Argument::Type::string:
      return kind_string;
    case Argument::Type::values:
      return kind_tensors;
    case Argument::Type::size:
      return number_kinds;
    case Argument::Type::sizes:
    case Argument::Type::sizes_of:
      return kind_sizes;
    case Argument::Type::value:
      break;
  }
  if (argument.value.of != Ref::Of::input) return kind_tensor;
  const uint16_t kinds = inputs[static_cast<size_t>(argument.value.index)].kinds;
  return (kinds & number_kinds) != 0 ? kinds | number_kinds : kinds;
}

bool Graph::is_optional(const Argument& argument) const {
  const bool is_input = argument.type == Argument::Type::value && argument.value.of == Ref::Of::input;
  return is_input && inputs[static_cast<size_t>(argument.value.index)].optional;
}

Graph::Ref Graph::append(const Op& op, std::vector<Argument> arguments, std::span<const std::string> names, bool counts_from_1) {
  const Signature& signature = op.decl->signature;
  Match m;
  const StepArguments list(*this, op, arguments, names);
  const bool too_many = arguments.size() > Signature::max_params;
  if (too_many || (find_form(op, list, m, true) == nullptr && find_form_omitting(op, list, m) == nullptr)) {
    std::string kinds;
    for (const Argument& argument : arguments) {
      if (!kinds.empty()) kinds += ", ";
      kinds += argument.type == Argument::Type::none ? "none" : kinds_shown(kinds_of(argument));
    }
    refuse_arguments(op.decl->name, kinds, expected_forms(op));
  }
  Step step;
  step.op = &op;
  step.first = result_count();
  step.arguments.resize(static_cast<size_t>(signature.count));
  for (int i = 0; i < signature.count; ++i) {
    if (m.args[i] == 0) continue;
    Argument& argument = step.arguments[static_cast<size_t>(i)] = std::move(arguments[static_cast<size_t>(m.args[i] - 1)]);
    count_argument(argument, signature.params[i], op.decl->name, counts_from_1);
  }
  steps.push_back(std::move(step));
  return {Ref::Of::result, steps.back().first};
}

uint16_t kinds_of(const Value& value) {
  switch (value.type) {
    case Value::Type::tensor:
      return kind_tensor;
    case Value::Type::number:
    case Value::Type::integer:
      return number_kinds;
    case Value::Type::boolean:
      return kind_boolean;
    case Value::Type::string:
      return kind_string | kind_dtype;
    case Value::Type::sizes:
      return kind_sizes;
    case Value::Type::tensors:
      return kind_tensors;
    case Value::Type::dtype:
      return kind_dtype;
    case Value::Type::generator:
      return kind_generator;
    case Value::Type::element:
      return kind_number;
    case Value::Type::none:
      break;
  }
  return 0;
}

bool draws(const Graph::Step& step) {
  const Signature& signature = step.op->decl->signature;
  for (int i = 0; i < signature.count; ++i) {
    if (signature.params[i].takes(kind_generator)) return true;
  }
  return std::ranges::any_of(step.bodies, [](const auto& body) { return std::ranges::any_of(body->steps, draws); });
}

const Form* form_of(const Graph::Step& step, bool with_methods) {
  const Signature& signature = step.op->decl->signature;
  for (const Form& form : step.op->forms) {
    bool fits = with_methods || !form.method_only;
    for (int i = 0; i < signature.count && fits; ++i) {
      const bool is_in_form = std::find(form.params, form.params + form.count, i) != form.params + form.count;
      fits = step.has(i) ? is_in_form || signature.params[i].optional : !is_in_form || signature.params[i].optional;
    }
    if (fits) return &form;
  }
  return nullptr;
}

bool is_in_order(const Graph& graph, const Graph::Step& step) {
  std::span<const Argument> arguments = step.arguments;
  while (!arguments.empty() && arguments.back().type == Argument::Type::none) arguments = arguments.first(arguments.size() - 1);
  Match m;
  const StepArguments list(graph, *step.op, arguments, {});
  if (find_form(*step.op, list, m, true) == nullptr) return false;
  for (size_t i = 0; i < step.arguments.size(); ++i) {
    if (m.args[i] != (step.has(static_cast<int>(i)) ? static_cast<int>(i) + 1 : 0)) return false;
  }
  return true;
}

std::string name_of(const Graph& graph, Graph::Ref ref) {
  const auto at = static_cast<size_t>(ref.index);
  switch (ref.of) {
    case Graph::Ref::Of::input:
      if (!graph.inputs[at].name.empty()) return graph.inputs[at].name;
      return concat("input", at + 1);
    case Graph::Ref::Of::constant:
      if (!graph.constants[at].name.empty()) return graph.constants[at].name;
      return concat("constant", at + 1);
    case Graph::Ref::Of::result:
      break;
  }
  const std::string_view name = graph.name_of_result(ref.index);
  return name.empty() ? concat("%", at + 1) : std::string(name);
}

std::string input_name(const Graph& graph, size_t i) { return name_of(graph, {Graph::Ref::Of::input, static_cast<int32_t>(i)}); }

}  // namespace mt
