#include "engine/onnx/evaluate.h"

#include <map>

#include "engine/core/mutex.h"
#include "engine/graph/text.h"

namespace mt::onnx {

namespace {

Value typed(Value::Type type) {
  Value value;
  value.type = type;
  return value;
}

}  // namespace

Operand::Operand(int64_t number) : value_(typed(Value::Type::integer)) { value_.integer = number; }
Operand::Operand(bool condition) : value_(typed(Value::Type::boolean)) { value_.boolean = condition; }
Operand::Operand(DType dtype) : value_(typed(Value::Type::dtype)) { value_.dtype = dtype; }
Operand::Operand(Sizes sizes) : value_(typed(Value::Type::sizes)) {
  value_.sizes = sizes.data();
  value_.count = static_cast<int32_t>(sizes.size());
}
Operand::Operand(std::span<Tensor* const> tensors) : value_(typed(Value::Type::tensors)) {
  value_.tensors = tensors.data();
  value_.count = static_cast<int32_t>(tensors.size());
}

namespace {

// The graph of "(x, dim) cumsum(x, dim)". A number may stand for a tensor.
Graph graph_of(std::string_view text, std::span<const Operand> operands) {
  const size_t end = text.find(')');
  MT_ASSERT(text.starts_with('(') && end != std::string_view::npos);
  const Graph graph = parse_graph(concat("graph", text.substr(0, end + 1), " { return ", text.substr(end + 1), " }"), {.function = "onnx"});
  MT_ASSERT(graph.inputs.size() == operands.size());
  return graph;
}

const Executor& executor_of(std::string_view text, std::span<const Operand> operands) {
  using Key = std::pair<const char*, std::vector<Value::Type>>;  // kinds of numbers may serve other arguments than tensors
  static ThreadMutex mutex;
  static auto& known = *new std::map<Key, std::unique_ptr<const Executor>>;  // never destroyed: other threads may run at exit
  Key key{text.data(), {}};
  for (const Operand& operand : operands) key.second.push_back(operand.value().type);
  const std::scoped_lock lock(mutex);
  auto& executor = known[key];
  if (executor == nullptr) executor = std::make_unique<const Executor>(graph_of(text, operands));
  return *executor;
}

}  // namespace

std::vector<Tensor> evaluate_all(const RunSettings& settings, std::string_view text, std::span<const Operand> operands) {
  const Executor& executor = executor_of(text, operands);
  std::vector<Value> inputs;
  for (const Operand& operand : operands) inputs.push_back(operand.value());
  GraphResults results(executor);
  executor.run(settings, inputs, results.tensors());
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < executor.graph().outputs.size(); ++i) outputs.push_back(executor.output(i, inputs, results.tensors()));
  return outputs;
}

Tensor evaluate(const RunSettings& settings, std::string_view text, std::initializer_list<Operand> operands) {
  return evaluate_all(settings, text, {operands.begin(), operands.size()})[0];
}

}  // namespace mt::onnx
