#include "engine/passes/rewrite.h"

#include <algorithm>

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

void Rewrite::keep_type(size_t old, size_t now) {
  if (old >= from_.result_types.size() || !from_.result_types[old]) return;
  if (to_.result_types.size() <= now) to_.result_types.resize(now + 1);
  to_.result_types[now] = from_.result_types[old];
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
    keep_type(old, now);
  }
  to_.steps.push_back(std::move(copied));
}

void Rewrite::add(Graph::Step step, int32_t result) {
  step.first = to_.result_count();
  keep_type(static_cast<size_t>(result), static_cast<size_t>(step.first));
  replace(result, {Ref::Of::result, step.first});
  to_.steps.push_back(std::move(step));
}

void Rewrite::replace(int32_t result, Ref value) { results_[static_cast<size_t>(result)] = value; }

Graph Rewrite::finish() { return finish_with(from_.outputs); }

Graph Rewrite::finish_with(std::span<const Ref> outputs) {
  for (const Ref output : outputs) to_.outputs.push_back(at(output));
  for (const Graph::Update& update : from_.updates) to_.updates.push_back({update.target, at(update.value)});
  return std::move(to_);
}

Graph with_bodies(const Graph& graph, const std::function<Graph(const Graph&)>& pass) {
  Graph result = graph;
  for (Graph::Step& step : result.steps) {
    for (std::shared_ptr<const Graph>& body : step.bodies) body = std::make_shared<const Graph>(pass(*body));
  }
  return result;
}

Uses::Uses(const Graph& graph)
    : producers_(static_cast<size_t>(graph.result_count())),
      last_users_(producers_.size()),
      counts_(producers_.size()),
      steps_(graph.steps.size()) {
  const auto use = [&](Ref ref, size_t user) {
    if (ref.of != Ref::Of::result) return;
    ++counts_[static_cast<size_t>(ref.index)];
    last_users_[static_cast<size_t>(ref.index)] = user;
  };
  for (size_t i = 0; i < graph.steps.size(); ++i) {
    const Graph::Step& step = graph.steps[i];
    for (int32_t r = 0; r < step.results(); ++r) producers_[static_cast<size_t>(step.first + r)] = i;
    for (const Graph::Argument& argument : step.arguments) each_ref(argument, [&](Ref ref) { use(ref, i); });
    for (const Ref ref : step.writes) use(ref, steps_);
  }
  for (const Ref output : graph.outputs) use(output, steps_);
  for (const Graph::Update& update : graph.updates) use(update.value, steps_);
}

std::optional<size_t> Uses::only_user(int32_t result) const {
  const auto at = static_cast<size_t>(result);
  if (counts_[at] != 1 || last_users_[at] == steps_) return std::nullopt;
  return last_users_[at];
}

const Graph::Step* producing_step(const Graph& graph, const Uses& uses, Ref value) {
  if (value.of != Ref::Of::result) return nullptr;
  const Graph::Step& step = graph.steps[uses.producer(value.index)];
  return step.first == value.index ? &step : nullptr;
}

const Graph::Step* producing_step(const Graph& graph, const Uses& uses, const Graph::Argument& argument, std::string_view op) {
  if (argument.type != Graph::Argument::Type::value) return nullptr;
  const Graph::Step* const step = producing_step(graph, uses, argument.value);
  return step != nullptr && step->op->decl->name == op ? step : nullptr;
}

std::string new_constant_name(const Graph& graph) {
  for (size_t i = graph.constants.size() + 1;; ++i) {
    std::string name = concat("c", i);
    const auto has_name = [&](const auto& named) { return named.name == name; };
    if (std::ranges::none_of(graph.constants, has_name) && std::ranges::none_of(graph.inputs, has_name)) return name;
  }
}

Graph::Argument add_constant(Graph& graph, const Tensor& value) {
  graph.constants.push_back({new_constant_name(graph), value});
  return Graph::Argument(Ref{Ref::Of::constant, static_cast<int32_t>(graph.constants.size()) - 1});
}

bool is_written(const Graph& graph, Ref value) {
  const auto writes = [&](const Graph::Step& step) { return std::ranges::find(step.writes, value) != step.writes.end(); };
  const auto updates = [&](const Graph::Update& update) { return update.target == value; };
  return std::ranges::any_of(graph.steps, writes) || std::ranges::any_of(graph.updates, updates);
}

}  // namespace mt
