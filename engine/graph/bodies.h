// Bodies of control flow from captures: what the captured functions read and write outside becomes operands and results of the step.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/graph/graph.h"

namespace mt {

struct ClosedBodies {
  std::vector<std::shared_ptr<const Graph>> bodies;
  std::vector<Tensor> carried;     // tensors from outside to which the bodies write: they are a part of the state
  std::vector<Tensor> invariants;  // others that the bodies read
};

// Closes captured graphs, the bodies of a step with this op. Their inputs are `state` values, then slices. Carried tensors become inputs
// behind the state, and their new values outputs there; a cond has all its operands as state, and the new values behind its results.
// Invariants are the last inputs. A write to memory for which is_scratch(tensor) is true, and which no body reads before, is left out.
// Raises an error for a condition that writes.
ClosedBodies close_bodies(const Op& op, std::span<const Graph> captured, size_t state,
                          const std::function<bool(const Tensor&)>& is_scratch);

}  // namespace mt
