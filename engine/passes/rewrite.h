// What passes have in common. A pass is a function from graph to graph: it copies steps to a new graph, and replaces some values.
#pragma once

#include <span>

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
  // Replaces a result of a step, which is not copied, by a value of the new graph.
  void replace(int32_t result, Graph::Ref value);
  // The new graph, with the outputs, updates, names and types of the old one.
  Graph finish();
  // The same with these outputs, values of the old graph.
  Graph finish_with(std::span<const Graph::Ref> outputs);

 private:
  const Graph& from_;
  Graph to_;
  std::vector<Graph::Ref> results_;  // new values, by old result
};

}  // namespace mt
