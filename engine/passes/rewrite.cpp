#include "engine/passes/rewrite.h"

namespace mt {

using Ref = Graph::Ref;

Rewrite::Rewrite(const Graph& from) : from_(from), results_(static_cast<size_t>(from.result_count())) {
  to_.inputs = from.inputs;
  to_.constants = from.constants;
}

Ref Rewrite::at(Ref old) const { return old.of == Ref::Of::result ? results_[static_cast<size_t>(old.index)] : old; }

std::vector<Graph::Argument> Rewrite::arguments(const Graph::Step& step) const {
  std::vector<Graph::Argument> list = step.arguments;
  for (Graph::Argument& argument : list) each_ref(argument, [&](Ref& ref) { ref = at(ref); });
  return list;
}

void Rewrite::copy(const Graph::Step& step) {
  Graph::Step copied = step;
  copied.first = to_.result_count();
  copied.arguments = arguments(step);
  for (Ref& ref : copied.writes) ref = at(ref);
  for (int32_t r = 0; r < step.results(); ++r) {
    const auto old = static_cast<size_t>(step.first + r), now = static_cast<size_t>(copied.first + r);
    results_[old] = {Ref::Of::result, copied.first + r};
    if (old < from_.result_names.size() && !from_.result_names[old].empty()) {
      if (to_.result_names.size() <= now) to_.result_names.resize(now + 1);
      to_.result_names[now] = from_.result_names[old];
    }
    if (old < from_.result_types.size() && from_.result_types[old]) {
      if (to_.result_types.size() <= now) to_.result_types.resize(now + 1);
      to_.result_types[now] = from_.result_types[old];
    }
  }
  to_.steps.push_back(std::move(copied));
}

void Rewrite::replace(int32_t result, Ref value) { results_[static_cast<size_t>(result)] = value; }

Graph Rewrite::finish() { return finish_with(from_.outputs); }

Graph Rewrite::finish_with(std::span<const Ref> outputs) {
  for (const Ref output : outputs) to_.outputs.push_back(at(output));
  for (const Graph::Update& update : from_.updates) to_.updates.push_back({update.target, at(update.value)});
  return std::move(to_);
}

}  // namespace mt
