// Adjacent steps of a graph that run as one loop over elements. Values that only they read are never in memory.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "engine/graph/fused/reduction.h"
#include "engine/graph/fused/schedule.h"
#include "engine/graph/graph.h"

namespace mt {

// Whether a loop may contain a step, as far as that doesn't depend on dtypes and sizes: an elementwise op of tensors and numbers.
bool is_fusible(const Graph::Step& step);
// Whether a loop may end with a step: a reduction or softmax of one tensor.
bool is_fusible_end(const Graph::Step& step);

class FusedSteps {
 public:
  // The steps from `first` until `end`; all but the last are fusible, and the last is a fusible end or fusible.
  FusedSteps(const Graph& graph, size_t first, size_t end);
  FusedSteps(FusedSteps&& other) noexcept;
  ~FusedSteps();

  // The tensors that the loop reads.
  const std::vector<Graph::Ref>& operands() const { return operands_; }
  // The numbers of the results that others need, of the elementwise steps.
  const std::vector<int32_t>& needed() const { return needed_; }

  // For profiles: "fused: exp, mul".
  std::string name() const;

  // Whether tensors of these dtypes can be computed in one loop.
  bool accepts(std::span<const DType> dtypes) const;

  // Runs the steps; `operands` has their tensors in order, `results` empty tensors for all results of the graph. Returns the number of
  // steps that ran: all, or all but the last, or none, with nothing changed, if a loop can't run for these tensors. Several threads may
  // call it.
  size_t run(std::span<Tensor* const> operands, Tensor* results) const;

 private:
  struct Loop;

  const Loop& loop_for(std::span<const DType> dtypes) const;
  std::unique_ptr<Loop> make(std::span<const DType> dtypes) const;

  const Graph* graph_;
  size_t first_, end_;  // `end_` without the reduction
  const Graph::Step* reduction_ = nullptr;
  std::vector<Graph::Ref> operands_;
  std::vector<int32_t> needed_;
  mutable std::atomic<Loop*> loops_ = nullptr;  // a list, by dtypes of the operands
};

}  // namespace mt
