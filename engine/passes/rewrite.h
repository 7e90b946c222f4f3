// What passes have in common. A pass is a function from graph to graph: it copies steps to a new graph, and replaces some values.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/graph.h"

namespace mt {

class Rewrite {
 public:
  // The new graph begins with the inputs and constants of the old one.
  explicit Rewrite(const Graph& from);

  const Graph& from() const { return from_; }
  Graph& to() { return to_; }
  // The new value for a value of the old graph.
  Graph::Ref at(Graph::Ref old) const;
  // Arguments with new values.
  std::vector<Graph::Argument> arguments(const Graph::Step& step) const;
  // Copies a step.
  void copy(const Graph::Step& step);
  // Appends a step with new arguments, whose first result replaces a result of a step that is not copied.
  void add(Graph::Step step, int32_t result);
  // Replaces a result of a step, which is not copied, by a value of the new graph.
  void replace(int32_t result, Graph::Ref value);
  // The new graph, with the outputs, updates, names and types of the old one.
  Graph finish();
  // The same with these outputs, values of the old graph.
  Graph finish_with(std::span<const Graph::Ref> outputs);

 private:
  void keep_type(size_t old, size_t now);  // of a result

  const Graph& from_;
  Graph to_;
  std::vector<Graph::Ref> results_;  // new values, by old result
};

// The graph with a pass run on the bodies of its steps.
Graph with_bodies(const Graph& graph, const std::function<Graph(const Graph&)>& pass);

// Where the results of a graph come from, and who uses them.
class Uses {
 public:
  explicit Uses(const Graph& graph);

  // The number of the step that returns a result.
  size_t producer(int32_t result) const { return producers_[static_cast<size_t>(result)]; }
  // The number of the only step that uses a result, once; nothing if there is none, or another use.
  std::optional<size_t> only_user(int32_t result) const;
  bool is_used(int32_t result) const { return counts_[static_cast<size_t>(result)] != 0; }

 private:
  std::vector<size_t> producers_, last_users_;
  std::vector<int> counts_;
  size_t steps_;
};

// The step whose first result a value is, or null.
const Graph::Step* producing_step(const Graph& graph, const Uses& uses, Graph::Ref value);
// The step of this op whose first result an argument is, or null.
const Graph::Step* producing_step(const Graph& graph, const Uses& uses, const Graph::Argument& argument, std::string_view op);

// A name for a new constant.
std::string new_constant_name(const Graph& graph);
// Adds a constant, and returns it as an argument.
Graph::Argument add_constant(Graph& graph, const Tensor& value);

// Whether the graph writes to a value.
bool is_written(const Graph& graph, Graph::Ref value);

}  // namespace mt
