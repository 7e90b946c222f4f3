#include "engine/graph/executor.h"
#include "engine/passes/passes.h"
#include "engine/passes/rewrite.h"

namespace mt {

Graph fold_constants(const Graph& graph) {
  using Ref = Graph::Ref;
  std::vector<bool> is_fixed;  // by constant
  for (size_t i = 0; i < graph.constants.size(); ++i) is_fixed.push_back(!is_written(graph, {Ref::Of::constant, static_cast<int32_t>(i)}));
  std::vector<bool> is_known(static_cast<size_t>(graph.result_count()), false), is_folded;
  Rewrite known(graph), rest(graph);
  for (const Graph::Step& step : graph.steps) {
    bool folds = !draws(step) && step.writes.empty() && !step.op->decl->data_dependent;
    for (const Graph::Argument& argument : step.arguments) {
      each_ref(argument, [&](Ref ref) {
        const auto at = static_cast<size_t>(ref.index);
        folds = folds && (ref.of == Ref::Of::constant ? is_fixed[at] : ref.of == Ref::Of::result && is_known[at]);
      });
    }
    is_folded.push_back(folds);
    if (!folds) continue;
    known.copy(step);
    for (int32_t r = 0; r < step.results(); ++r) is_known[static_cast<size_t>(step.first + r)] = true;
  }
  if (known.to().steps.empty()) return graph;
  Graph part = known.to();
  part.inputs.clear();
  for (int32_t r = 0; r < part.result_count(); ++r) part.outputs.push_back({Ref::Of::result, r});
  const Executor executor(std::move(part));
  GraphResults results(executor);
  executor.run({}, {}, results.tensors());
  for (size_t i = 0; i < graph.steps.size(); ++i) {
    const Graph::Step& step = graph.steps[i];
    if (!is_folded[i]) {
      rest.copy(step);
      continue;
    }
    for (int32_t r = step.first; r < step.first + step.results(); ++r) {
      const Ref constant{Ref::Of::constant, static_cast<int32_t>(rest.to().constants.size())};
      const Tensor& value = results.tensors()[known.at({Ref::Of::result, r}).index];
      rest.to().constants.push_back({new_constant_name(rest.to()), value});
      rest.replace(r, constant);
    }
  }
  return remove_unused_constants(rest.finish());
}

}  // namespace mt
