// Graphs as handles of the C interface.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/capi/handle.h"
#include "engine/graph/executor.h"

struct mt_graph {
  mt::Graph graph;                                  // as it was built, parsed or loaded
  std::unique_ptr<const mt::Executor> executor;     // of its optimised form, once it is finished
  std::vector<std::optional<mt::ValueType>> types;  // of the outputs, likewise
};

namespace mt::capi {

// Checks and optimises a graph, whose outputs' types it infers.
void finish(mt_graph& graph);

// A new handle of a graph, which is finished.
mt_graph* finished_handle(Graph graph);

// A new prepared run of a finished graph, for inputs like these.
mt_prepared* prepare(const mt_graph& handle, std::span<Tensor> samples, const char* function);

// The graph of a handle that is finished; raises an error in the name of the function.
const mt_graph& finished(const mt_graph* graph, const char* function);

}  // namespace mt::capi
