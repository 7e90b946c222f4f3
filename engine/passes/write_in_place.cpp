#include <algorithm>

#include "engine/passes/passes.h"
#include "engine/passes/rewrite.h"

namespace mt {
namespace {

using Ref = Graph::Ref;

bool reads(const Graph::Step& step, const std::vector<Ref>& values) {
  bool found = false;
  for (const Graph::Argument& argument : step.arguments)
    each_ref(argument, [&](Ref ref) { found = found || std::ranges::find(values, ref) != values.end(); });
  return found;
}

// The input or constant whose copy a step overwrites, if the step may overwrite the original instead: an update writes the copy back, and
// afterwards nothing reads the original, or a view of it. `copy` is the number of the copying step, `effect` of the overwriting one.
std::optional<Ref> original_of(const Graph& graph, size_t copy, size_t effect) {
  const Graph::Step& clone = graph.steps[copy];
  const Ref result{Ref::Of::result, clone.first}, original = clone.arguments[0].value;
  if (original.of == Ref::Of::result) return std::nullopt;
  const auto writes_back = [&](const Graph::Update& update) { return update.target == original && update.value == result; };
  if (std::ranges::count_if(graph.updates, writes_back) != 1) return std::nullopt;
  std::vector<Ref> views{original};
  for (size_t i = 0; i < graph.steps.size(); ++i) {
    const Graph::Step& step = graph.steps[i];
    if (i == copy || !reads(step, views)) continue;
    if (i >= effect) return std::nullopt;
    if (step.op->decl->sharing != Sharing::none) views.push_back({Ref::Of::result, step.first});
  }
  const auto is_view = [&](Ref ref) { return std::ranges::find(views, ref) != views.end(); };
  const auto is_kept = [&](const Graph::Update& update) { return is_view(update.value); };
  if (std::ranges::any_of(graph.outputs, is_view) || std::ranges::any_of(graph.updates, is_kept)) return std::nullopt;
  return original;
}

// The number of the step that returns a value as its only result, if that is a copy.
std::optional<size_t> copying_step(const Graph& graph, Ref value) {
  for (size_t i = 0; i < graph.steps.size(); ++i) {
    if (value == Ref{Ref::Of::result, graph.steps[i].first} && graph.steps[i].op->decl->name == "clone") return i;
  }
  return std::nullopt;
}

}  // namespace

Graph write_in_place(const Graph& graph) {
  Rewrite rewrite(graph);
  std::vector<size_t> dropped;  // steps
  std::vector<Ref> written;     // originals
  for (size_t i = 0; i < graph.steps.size(); ++i) {
    for (const Ref value : graph.steps[i].writes) {
      const std::optional<size_t> copy = value.of == Ref::Of::result ? copying_step(graph, value) : std::nullopt;
      const std::optional<Ref> original = copy ? original_of(graph, *copy, i) : std::nullopt;
      if (!original) continue;
      dropped.push_back(*copy);
      written.push_back(*original);
    }
  }
  for (size_t i = 0; i < graph.steps.size(); ++i) {
    if (std::ranges::find(dropped, i) == dropped.end())
      rewrite.copy(graph.steps[i]);
    else
      rewrite.replace(graph.steps[i].first, graph.steps[i].arguments[0].value);
  }
  Graph result = rewrite.finish();
  std::erase_if(result.updates, [&](const Graph::Update& update) { return update.target == update.value; });
  return result;
}

}  // namespace mt
