// The dtypes and sizes of all values of a graph, from those of its inputs and constants.
#pragma once

#include "engine/graph/graph.h"

namespace mt {

// Returns the types of all results: nothing for those that depend on an input without a type, or on elements. The planning functions of the
// ops determine them: no element is read or computed.
std::vector<std::optional<ValueType>> infer_types(const Graph& graph);

// The results as tensors on meta, of which views share storages; tensors without storage where the type is unknown. `operands`, if not
// null, receives those of the inputs and constants.
std::vector<Tensor> results_on_meta(const Graph& graph, std::vector<Tensor>* operands = nullptr);

}  // namespace mt
