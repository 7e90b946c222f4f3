// Captures as two graphs: a first one, whose outputs decide or are needed early, and the rest.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/graph/capture.h"
#include "engine/graph/executor.h"

namespace mt {

// The inputs of `rest` are those of `first`, and behind them the outputs of `first` that are not asked for.
struct GraphParts {
  std::shared_ptr<const Executor> first, rest;
};

// Splits a captured graph behind its first outputs.
GraphParts parts_of(const Graph& captured, size_t outputs);

// Runs the first part of a graph that was captured with guards, whose values are its first outputs. Returns whether all guards hold. A step
// may fail where the program would have taken another branch: then they don't.
bool hold(std::span<const Guard> guards, const Executor& checks, const RunSettings& settings, std::span<const Value> inputs,
          Tensor* results);

}  // namespace mt
