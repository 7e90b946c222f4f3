// The passes: functions from graph to graph, a file each. A run of the result gives the same elements, bit for bit.
#pragma once

#include <span>

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

// A dimension of an input, from 0, whose size may differ. Dimensions with the same name have the same size; one without a name is shown as
// ?.
struct OpenDim {
  int32_t input = 0, dim = 0;
  std::string name = {};
};
// The graph for any size of some dimensions, from captures of a program with several sizes of them: numbers that differ become expressions
// of sizes (size_formulas.h), and constants that differ are computed (size_constants.h). Raises an error that names the step if the program
// differs in another way.
Graph generalize(std::span<const Graph> samples, std::span<const OpenDim> dims);

// All of them, in an order that lets one profit from the other.
Graph optimized(const Graph& graph);

Graph remove_unused_constants(const Graph& graph);

// The most bytes of results that a run needs at one step, without inputs, constants and what kernels need for themselves. Raises an error
// if sizes are unknown.
int64_t peak_memory(const Graph& graph);

// A graph that computes steps again before a late use instead of keeping their results, such that its peak_memory is at most `bytes`: first
// elementwise steps, views and normalisations, then products; never steps that draw random numbers or write. Results have the same bits.
// Raises an error with the least bytes that were reached.
Graph recompute(const Graph& graph, int64_t bytes);

// A view of a value with a new part, next to the part, becomes a view of the value before. For inputs with types.
Graph look_past_writes(const Graph& graph);

// ---- passes for prepared runs: constants must not change afterwards, and results differ by rounding errors

// Runs the steps that depend on constants alone, and makes their results constants. Constants to which the graph writes don't count.
Graph fold_constants(const Graph& graph);

// Steps that multiply each channel by a constant and add another one (channel_affine.h) become part of the weight and the bias of the
// conv2d or batchNorm before them, computed in float64 and rounded once. Needs the types of the results.
Graph fold_affine_steps(const Graph& graph);

// conv2d, a sum with a tensor of the result's sizes, and relu, cmax(x, 0) or clamp(x, 0, most) become conv2d_unit. Sums need the types of
// the results (engine/graph/infer.h).
Graph fuse_conv_units(const Graph& graph);

// softmax(scale q k' + mask) v, with the mask added, or filled with -inf, becomes scaledDotProductAttention. Needs the types of the
// results. A query without keys gets 0 instead of NaN.
Graph fuse_attention(const Graph& graph);

// Constants that a kernel would copy in each run, because it needs contiguous or float64 ones, are copied once.
Graph settle_constants(const Graph& graph);

// All passes for a prepared run with inputs of these dtypes and sizes.
Graph for_inference(const Graph& graph, std::span<const Value> inputs);

}  // namespace mt
