#include "engine/onnx/captured_runs.h"

#include <algorithm>

#include "engine/core/device.h"
#include "engine/core/generator.h"

namespace mt::onnx {
namespace {

std::string no_line() { return {}; }

std::optional<ValueType> type_of(const NodeValue& value) {
  if (value.tensor.dim() == 0) return std::nullopt;
  return ValueType{value.tensor.dtype(), {value.tensor.sizes().begin(), value.tensor.sizes().end()}};
}

// Whether a capture can tell the inputs apart: by their memory.
bool are_separate(const std::vector<NodeValue>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Storage* const storage = inputs[i].tensor.storage();
    if (inputs[i].items != nullptr || (inputs[i].tensor.dim() > 0 && storage == nullptr)) return false;
    for (size_t k = 0; storage != nullptr && k < i; ++k) {
      if (inputs[k].tensor.storage() == storage) return false;
    }
  }
  return true;
}

std::vector<Tensor> tensors_of(const Program& program, const std::vector<NodeValue>& outputs) {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].items != nullptr)
      fail<Status::unsupported>("onnx", shown_name(program.outputs[i].name), "a sequence, expected a tensor as output");
    tensors.push_back(outputs[i].tensor);
  }
  return tensors;
}

}  // namespace

std::vector<NodeValue> CapturedRuns::run(const RunSettings& settings, const std::vector<NodeValue>& inputs) {
  if (!are_separate(inputs) || (settings.hook != nullptr && settings.hook->captures())) return onnx::run(program_, settings, inputs);
  Types types;
  std::vector<Tensor> tensors;
  for (const NodeValue& input : inputs) {
    types.push_back(type_of(input));
    if (types.back()) tensors.push_back(input.tensor);
  }
  std::vector<Value> values;
  for (Tensor& tensor : tensors) values.emplace_back(tensor);
  std::vector<VariantPointer> variants;
  {
    const std::scoped_lock lock(mutex_);
    variants = variants_;
  }
  for (const VariantPointer& variant : variants) {
    std::vector<NodeValue> outputs;
    if (variant->types != types || !attempt(*variant, settings, values, outputs)) continue;
    if (variant != variants.front()) move_to_front(variant);
    return outputs;
  }
  if (variants.size() >= most_graphs || values.empty() || is_first(types)) return onnx::run(program_, settings, inputs);
  std::vector<NodeValue> outputs = capture(settings, inputs, std::move(types));
  trim_devices();  // a capture keeps the results of all nodes
  return outputs;
}

// Computes the outputs unless a guard does not hold.
bool CapturedRuns::attempt(const Variant& variant, const RunSettings& settings, std::span<const Value> inputs,
                           std::vector<NodeValue>& outputs) {
  const Executor &checks = *variant.parts.first, &rest = *variant.parts.rest;
  std::optional<Generators> before;
  if (std::ranges::any_of(checks.graph().steps, draws)) before = *settings.generators;
  GraphResults checked(checks);
  if (!hold(variant.guards, checks, settings, inputs, checked.tensors())) {
    if (before) *settings.generators = *before;
    return false;
  }
  std::vector<Value> values(inputs.begin(), inputs.end());
  for (size_t i = variant.guards.size(); i < checks.graph().outputs.size(); ++i)
    values.emplace_back(checks.output(i, inputs, checked.tensors()));
  if (std::optional<std::vector<Tensor>> made = prepared_.run(rest, settings, values)) {
    for (Tensor& each : *made) outputs.push_back({std::move(each)});
    return true;
  }
  GraphResults results(rest);
  rest.run(settings, values, results.tensors());
  rest.update(settings, values, results.tensors());
  for (size_t i = 0; i < rest.graph().outputs.size(); ++i) outputs.push_back({rest.output(i, values, results.tensors())});
  return true;
}

// Runs the model, and adds the graph of this run.
std::vector<NodeValue> CapturedRuns::capture(const RunSettings& settings, const std::vector<NodeValue>& inputs, Types types) {
  auto variant = std::make_shared<Variant>();
  Capture capture(no_line, Capture::Reads::guarded);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (types[i]) capture.add_input(concat("i", i), inputs[i].tensor);
  }
  RunSettings seen = settings;
  seen.hook = &capture;
  std::vector<NodeValue> outputs = onnx::run(program_, seen, inputs);
  const Graph graph = capture.finish(tensors_of(program_, outputs), &variant->guards);
  variant->types = std::move(types);
  variant->parts = parts_of(graph, variant->guards.size());
  const std::scoped_lock lock(mutex_);
  if (variants_.size() < most_graphs) variants_.insert(variants_.begin(), std::move(variant));
  return outputs;
}

// Whether none of the runs that are remembered had inputs of these types.
bool CapturedRuns::is_first(const Types& types) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find(seen_, types);
  const bool is_known = found != seen_.end();
  if (is_known)
    seen_.erase(found);
  else if (seen_.size() >= most_seen)
    seen_.erase(seen_.begin());
  seen_.push_back(types);
  return !is_known;
}

void CapturedRuns::move_to_front(const VariantPointer& variant) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find(variants_, variant);
  std::rotate(variants_.begin(), found, found + 1);
}

namespace {

Graph captured(const Program& program, const RunSettings& settings, const std::vector<NodeValue>& inputs,
               std::span<const std::string> names) {
  Capture capture(no_line);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].items != nullptr) fail("onnx", shown_name(program.inputs[i].name), "a sequence, expected a tensor");
    if (inputs[i].tensor.dim() > 0 && !inputs[i].is_known) capture.add_input(names[i], inputs[i].tensor);
  }
  RunSettings seen = settings;
  seen.hook = &capture;
  return capture.finish(tensors_of(program, onnx::run(program, seen, inputs)));
}

}  // namespace

Graph graph_of(const Program& program, const RunSettings& settings, const std::vector<NodeValue>& inputs,
               std::span<const std::string> names) {
  Graph graph = captured(program, settings, inputs, names);
  trim_devices();
  return graph;
}

}  // namespace mt::onnx
