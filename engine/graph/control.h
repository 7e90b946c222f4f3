// Control flow: steps whose bodies are graphs, which run as elements, lengths and numbers of iterations demand.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/executor.h"

namespace mt {

// The op of a step of control flow; null for other names. Programs have no functions for these ops.
//
//     results = cond(predicate, {operands})        runs one of the bodies `then` and `else`, both (operands) -> results
//     state = while({state}, {invariants}, limit)  repeats `body`, (state, invariants) -> state, while `condition`, with the same inputs,
//                                                  returns true, and at most `limit` times
//     state, stacks = scan({state}, {sequences}, {invariants}, reverse)
//                                                  runs `body`, (state, slices, invariants) -> (state, outputs), for each slice of the
//                                                  sequences along dimension 1, and stacks its outputs; `reverse`: from the last slice on
//
// Predicates and conditions have one element, which is true if it is not 0. The state keeps its dtypes and sizes. Results share no memory
// with operands.
const Op* find_control_op(std::string_view name);

// The names of the bodies of a step, in order; none for other ops.
std::span<const std::string_view> body_names(const Op& op);

inline constexpr int most_nested_bodies = 32;

// Raises an error unless a step has the bodies of its op, and these have the inputs and outputs that its operands need. `place` names the
// step in messages. Does not verify the bodies themselves.
void check_bodies(const Graph& graph, const Graph::Step& step, std::string_view place);

// The bodies of a step in the form that runs.
class Control {
 public:
  explicit Control(const Graph::Step& step);

  size_t results() const { return bodies_.back().graph().outputs.size(); }
  const std::vector<std::shared_ptr<const Graph>>& graphs() const { return graphs_; }

  // Runs the step, whose results are empty tensors. On the device meta it determines dtypes and sizes.
  void run(const Call& call, bool names_steps = false) const;

 private:
  class Run;

  std::vector<std::shared_ptr<const Graph>> graphs_;
  std::vector<Executor> bodies_;
  std::vector<std::string> names_;  // of the bodies, in messages: "while: body"
};

// A hook that runs steps of control flow as one call. Through other hooks pass the ops of the bodies, unless the hook defers calls.
class ControlHook {
 public:
  virtual void run_control(Call& call, const Control& control) = 0;

 protected:
  ~ControlHook() = default;
};

// Runs a step through the hook of the call.
void run_through_hook(Call& call, const Control& control, bool names_steps = false);

}  // namespace mt
