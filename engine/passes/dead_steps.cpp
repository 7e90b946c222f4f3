#include <algorithm>

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

Graph remove_unused_constants(const Graph& graph) {
  using Ref = Graph::Ref;
  Graph result = graph;
  std::vector<int32_t> numbers(graph.constants.size(), -1);
  result.constants.clear();
  const auto use = [&](Ref& ref) {
    if (ref.of != Ref::Of::constant) return;
    int32_t& number = numbers[static_cast<size_t>(ref.index)];
    if (number < 0) {
      number = static_cast<int32_t>(result.constants.size());
      result.constants.push_back(graph.constants[static_cast<size_t>(ref.index)]);
    }
    ref.index = number;
  };
  for (Graph::Step& step : result.steps) {
    for (Graph::Argument& argument : step.arguments) each_ref(argument, use);
    std::ranges::for_each(step.writes, use);
  }
  for (Graph::Update& update : result.updates) {
    use(update.target);
    use(update.value);
  }
  std::ranges::for_each(result.outputs, use);
  return result;
}

}  // namespace mt
