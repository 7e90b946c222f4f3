// Runs the program of a model, node by node. A capture of such a run is the model's graph.
#pragma once

#include <span>
#include <vector>

#include "engine/graph/executor.h"
#include "engine/onnx/program.h"
#include "engine/onnx/value.h"

namespace mt::onnx {

// The values of a program that runs, and of those around it.
class Scope {
 public:
  Scope(size_t values, const Scope* outer) : outer_(outer), values_(values), is_set_(values) {}

  void set(int32_t index, NodeValue value) {
    values_[static_cast<size_t>(index)] = std::move(value);
    is_set_[static_cast<size_t>(index)] = true;
  }
  void release(int32_t index) {
    values_[static_cast<size_t>(index)] = {};
    is_set_[static_cast<size_t>(index)] = false;
  }
  const NodeValue* find(Place place) const {
    const Scope* scope = this;
    for (int32_t level = place.level; level > 0; --level) scope = scope->outer_;
    const auto index = static_cast<size_t>(place.index);
    return scope->is_set_[index] ? &scope->values_[index] : nullptr;
  }

 private:
  const Scope* outer_;
  std::vector<NodeValue> values_;
  std::vector<bool> is_set_;
};

// Runs a program with values for its inputs, in order; those without an initializer are required. Raises the errors of nodes, in their
// names. Nodes whose inputs are known run without the hook of the settings: their results are constants of a captured graph.
std::vector<NodeValue> run(const Program& program, const RunSettings& settings, std::vector<NodeValue> inputs,
                           const Scope* outer = nullptr);

}  // namespace mt::onnx
