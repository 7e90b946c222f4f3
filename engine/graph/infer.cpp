#include "engine/graph/infer.h"

#include "engine/core/device.h"
#include "engine/core/generator.h"
#include "engine/graph/executor.h"

namespace mt {

std::vector<Tensor> results_on_meta(const Graph& graph, std::vector<Tensor>* operands) {
  using Ref = Graph::Ref;
  std::vector<Tensor> found(static_cast<size_t>(graph.result_count()));
  Graph copy = graph;
  for (Graph::Constant& constant : copy.constants) {
    Tensor shape = Tensor::empty(constant.tensor.dtype(), constant.tensor.sizes(), meta_device);
    if (constant.tensor.numel() > 0) shape.set_geometry(0, constant.tensor.sizes(), constant.tensor.strides());
    constant.tensor = std::move(shape);
  }
  copy.updates.clear();
  copy.outputs.clear();
  for (int32_t r = 0; r < graph.result_count(); ++r) copy.outputs.push_back({Ref::Of::result, r});
  std::vector<Tensor> shapes;
  shapes.reserve(graph.inputs.size());
  std::vector<Value> inputs;
  for (const Graph::Input& input : graph.inputs) {
    if (!input.type || !input.type->has_known_sizes()) return found;
    inputs.emplace_back(shapes.emplace_back(Tensor::empty(input.type->dtype, input.type->sizes, meta_device)));
  }
  if (operands != nullptr) {
    *operands = shapes;
    for (const Graph::Constant& constant : copy.constants) operands->push_back(constant.tensor);
  }
  const Executor executor(std::move(copy));
  GraphResults results(executor);
  RunSettings settings;
  settings.default_device = meta_device;
  Generators generators(0);
  settings.generators = &generators;
  try {
    executor.run(settings, inputs, results.tensors());
  } catch (const Error&) {
    // A step whose sizes depend on elements: the types of earlier ones are known.
  }
  for (size_t r = 0; r < found.size(); ++r) found[r] = std::move(results.tensors()[r]);
  return found;
}

std::vector<std::optional<ValueType>> infer_types(const Graph& graph) {
  std::vector<std::optional<ValueType>> types;
  for (const Tensor& t : results_on_meta(graph)) {
    const bool is_known = t.storage() != nullptr || t.dim() > 0;
    types.push_back(is_known ? std::optional(ValueType{t.dtype(), {t.sizes().begin(), t.sizes().end()}}) : std::nullopt);
  }
  return types;
}

}  // namespace mt
