#include "engine/passes/passes.h"
#include "engine/passes/rewrite.h"

namespace mt {

Graph remove_dead_steps(const Graph& graph) {
  using Ref = Graph::Ref;
  std::vector<bool> is_used(static_cast<size_t>(graph.result_count()), false);
  const auto use = [&](Ref ref) {
    if (ref.of == Ref::Of::result) is_used[static_cast<size_t>(ref.index)] = true;
  };
  for (const Ref output : graph.outputs) use(output);
  for (const Graph::Update& update : graph.updates) use(update.value);
  std::vector<bool> is_live(graph.steps.size(), false);
  for (size_t i = graph.steps.size(); i-- > 0;) {
    const Graph::Step& step = graph.steps[i];
    bool live = draws(step);
    for (int32_t r = 0; r < step.results(); ++r) live = live || is_used[static_cast<size_t>(step.first + r)];
    for (const Ref ref : step.writes) live = live || ref.of != Ref::Of::result || is_used[static_cast<size_t>(ref.index)];
    is_live[i] = live;
    if (!live) continue;
    for (const Graph::Argument& argument : step.arguments) each_ref(argument, use);
  }
  Rewrite rewrite(graph);
  for (size_t i = 0; i < graph.steps.size(); ++i) {
    if (is_live[i]) rewrite.copy(graph.steps[i]);
  }
  return rewrite.finish();
}

}  // namespace mt
