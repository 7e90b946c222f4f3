// The passes: functions from graph to graph, a file each. A run of the result gives the same elements, bit for bit.
#pragma once

#include "engine/graph/graph.h"

namespace mt {

Graph remove_dead_steps(const Graph& graph);   // whose results nothing uses
Graph merge_common_steps(const Graph& graph);  // with the same op and arguments
// x * 1 becomes x; double negations and double transpositions go.
Graph simplify_algebra(const Graph& graph);

// Steps that overwrite copies of inputs or constants, such as those of optimisers, overwrite the originals, if no later step reads these.
Graph write_in_place(const Graph& graph);

// The parts of a graph: the first computes the first outputs, with all random numbers that the program draws before, and has no updates;
// the second does the rest. Further outputs of the first part are further inputs of the second.
struct Split {
  Graph first, second;
};
Split split(const Graph& graph, size_t outputs);

// Elementwise steps that read each other's results run as one loop, together with a reduction or softmax of their result: see fusion in
// Graph::Step. Only steps whose dtypes and sizes are known are fused.
Graph fuse(const Graph& graph);

// All of them, in an order that lets one profit from the other.
Graph optimized(const Graph& graph);

}  // namespace mt
