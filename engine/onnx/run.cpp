#include "engine/onnx/run.h"

#include <algorithm>

#include "engine/core/interrupt.h"
#include "engine/onnx/node_kind.h"
#include "engine/onnx/unsigned.h"

namespace mt::onnx {
namespace {

void run_formula(NodeRun& node) {
  const std::string_view formula = node.node().kind->formula, attributes = node.node().kind->attributes;
  const auto arguments = 1 + std::ranges::count(formula.substr(0, formula.find(')')), ',');
  const auto wanted = static_cast<size_t>(arguments - std::ranges::count(attributes, '='));
  if (node.inputs() != wanted) node.refuse(concat(node.inputs(), " inputs"), concat(wanted));
  std::vector<const NodeValue*> given;
  for (size_t i = 0; i < node.inputs(); ++i) given.push_back(&node.in(i));
  const std::vector<int64_t> sizes = node.common_sizes(given);
  const NodeValue& last = *given.back();
  const bool is_number = node.node().kind->takes_number && given.size() == 2 && last.is_known && last.tensor.numel() == 1 &&
                         is_float(last.tensor.dtype()) && std::ranges::equal(sizes, given[0]->sizes());
  const DType dtype = given[0]->tensor.dtype();
  const bool widens = node.node().kind->widens && is_unsigned(dtype);
  std::vector<Tensor> tensors;
  for (const NodeValue* value : given) {
    const Tensor tensor = is_number ? value->tensor : node.broadcast(*value, sizes);
    tensors.push_back(widens ? as_signed(node, tensor) : tensor);
  }
  std::vector<Operand> operands(tensors.begin(), tensors.end());
  if (is_number) operands.back() = Operand(node.number(size_t{1}));
  std::string_view rest = attributes;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    const size_t equals = word.find('=');
    operands.emplace_back(node.number(word.substr(0, equals), std::stod(std::string(word.substr(equals + 1)))));
  }
  const auto of_unsigned = node.node().kind->of_unsigned;
  const bool is_other = of_unsigned != nullptr && tensors.size() == 2 && is_unsigned(dtype);
  const Tensor result = is_other ? of_unsigned(node, tensors[0], tensors[1]) : evaluate_all(node.settings(), formula, operands)[0];
  node.give(widens ? node.converted(result, dtype) : result, sizes.empty());
}

// An error of an op gets the name of the node.
void run_kind(NodeRun& node) {
  try {
    if (node.node().kind->formula.empty())
      node.node().kind->run(node);
    else
      run_formula(node);
  } catch (const Error& e) {
    const std::string_view text = e.what();
    if (text.starts_with("onnx:")) throw;
    raise(e.status(), concat("onnx: ", node.node().name, ": ", text));
  }
}

std::vector<NodeValue> run_node(const ProgramNode& node, const RunSettings& settings, const Scope& scope) {
  std::vector<const NodeValue*> inputs;
  for (const Place place : node.inputs) inputs.push_back(place.index == Place::absent ? nullptr : scope.find(place));
  if (node.kind == nullptr) {
    std::vector<NodeValue> values;
    for (const NodeValue* input : inputs) values.push_back(input != nullptr ? *input : NodeValue());
    return run(*node.function, settings, std::move(values));
  }
  using Knows = NodeKind::Knows;
  const bool are_known = std::ranges::all_of(inputs, [](const NodeValue* input) { return input == nullptr || input->is_known; });
  const bool knows = node.kind->knows == Knows::inputs && are_known;
  RunSettings unseen = settings;
  if (knows) unseen.hook = nullptr;
  NodeRun made(node, knows ? unseen : settings, scope, std::move(inputs));
  run_kind(made);
  if (node.kind->knows != Knows::itself) {
    for (NodeValue& result : made.results()) result.is_known = knows;
  }
  return std::move(made.results());
}

}  // namespace

std::vector<NodeValue> run(const Program& program, const RunSettings& settings, std::vector<NodeValue> inputs, const Scope* outer) {
  Scope scope(program.values, outer);
  for (size_t i = 0; i < program.literals.size(); ++i) {
    const Literal& literal = program.literals[i];
    scope.set(program.literal_places[i], {literal.tensor, literal.is_scalar, true});
  }
  const auto is_given = [](const NodeValue& value) { return value.tensor.dim() > 0 || value.items != nullptr; };
  for (size_t i = 0; i < inputs.size() && i < program.input_places.size(); ++i) {
    if (is_given(inputs[i])) scope.set(program.input_places[i], std::move(inputs[i]));
  }
  for (const ProgramNode& node : program.nodes) {
    look_for_interrupt();
    std::vector<NodeValue> results = run_node(node, settings, scope);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] != Place::absent && i < results.size() && is_given(results[i])) scope.set(node.outputs[i], std::move(results[i]));
    }
    for (const int32_t value : node.releases) scope.release(value);
  }
  std::vector<NodeValue> outputs;
  for (size_t i = 0; i < program.output_places.size(); ++i) {
    const NodeValue* value = scope.find(program.output_places[i]);
    if (value == nullptr) fail("onnx", program.outputs[i].name, "an output that its node does not compute, expected a value");
    outputs.push_back(*value);
  }
  return outputs;
}

std::vector<NodeValue> run_body(NodeRun& node, size_t body, std::vector<NodeValue> inputs) {
  const auto& bodies = node.node().bodies;
  if (body >= bodies.size()) node.refuse(concat(bodies.size(), " graphs"), concat(body + 1));
  return run(*bodies[body], node.settings(), std::move(inputs), &node.scope());
}

}  // namespace mt::onnx
