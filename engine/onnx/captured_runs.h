// Runs of a model as graphs: the second run with inputs of some types captures one, which is valid while the values on which the model
// decides are the same. Later ones prepare it (prepared_runs.h) if they can. The first run is without a capture, which takes time, and
// keeps all results of nodes to its end.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/core/mutex.h"
#include "engine/graph/guarded.h"
#include "engine/onnx/prepared_runs.h"
#include "engine/onnx/run.h"

namespace mt::onnx {

class CapturedRuns {
 public:
  // The program must live as long.
  explicit CapturedRuns(const Program& program) : program_(program) {}

  // Runs the model for values of its inputs, in order. Any number of threads may do so at a time. The tensors among the outputs may share
  // memory with inputs and with the model.
  std::vector<NodeValue> run(const RunSettings& settings, const std::vector<NodeValue>& inputs);

 private:
  static constexpr size_t most_graphs = 16;             // if there are as many, further runs are without a graph
  static constexpr size_t most_seen = 4 * most_graphs;  // types of inputs

  using Types = std::vector<std::optional<ValueType>>;  // of the inputs; none if an input is absent
  struct Variant {
    Types types;
    std::vector<Guard> guards;
    GraphParts parts;
  };
  using VariantPointer = std::shared_ptr<const Variant>;

  bool attempt(const Variant& variant, const RunSettings& settings, std::span<const Value> inputs, std::vector<NodeValue>& outputs);
  std::vector<NodeValue> capture(const RunSettings& settings, const std::vector<NodeValue>& inputs, Types types);
  bool is_first(const Types& types);
  void move_to_front(const VariantPointer& variant);

  const Program& program_;
  PreparedRuns prepared_;  // of the variants' graphs, which stay
  ThreadMutex mutex_;      // of the following
  std::vector<VariantPointer> variants_;
  std::vector<Types> seen_;  // at most most_seen; the last ones are at the end
};

// The graph of a model for these values of its inputs: those that are known are constants, and `names` has a name for each input. Raises an
// error if the model decides by elements of an input that is not known.
Graph graph_of(const Program& program, const RunSettings& settings, const std::vector<NodeValue>& inputs,
               std::span<const std::string> names);

}  // namespace mt::onnx
