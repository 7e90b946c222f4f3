// Captured graphs of a model as prepared runs, which are kept between the runs of the model.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/core/mutex.h"
#include "engine/graph/prepared.h"

namespace mt::onnx {

class PreparedRuns {
 public:
  // Runs a graph, which lives as long as this object, by a prepared run that no other thread uses at the moment, and returns copies of its
  // outputs. Any number of threads may do so at a time. Returns nothing if the graph can't be prepared, if too many others are, and for
  // inputs for which a step raises an error: an executor then computes the outputs, or says what is wrong. Results of both differ by
  // rounding errors.
  std::optional<std::vector<Tensor>> run(const Executor& graph, const RunSettings& settings, std::span<const Value> inputs);

 private:
  class Lease;

  // The prepared runs of a graph share constants and packed operands, which may need as much memory as the model.
  struct Form {
    const Executor* graph;
    int threads;  // for which kernels were chosen
    int64_t last_use;
    int made = 1;                                        // runs, with those that threads use
    std::shared_ptr<const Executor> executor = nullptr;  // null while a thread makes it
    std::shared_ptr<PackedOperands> packed = nullptr;
    std::vector<std::unique_ptr<Prepared>> idle = {};
  };

  std::vector<Form>::iterator find(const Executor* graph, int threads);
  bool has_room();

  ThreadMutex mutex_;  // of the following
  std::vector<Form> forms_;
  std::vector<const Executor*> refused_;  // graphs that can't be prepared
  int64_t runs_ = 0;
};

}  // namespace mt::onnx
