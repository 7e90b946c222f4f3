// Constants that a program makes anew in each capture: which of them are the same, and steps that make those that follow sizes.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/graph/graph.h"
#include "engine/passes/size_formulas.h"

namespace mt {

// Whether two tensors have the same dtype, device, sizes and elements, bit for bit.
bool have_same_bits(const Tensor& a, const Tensor& b);

// Appends steps that make a tensor which is `samples[i]` in capture i, for any sizes: a number in all places, whole numbers that rise
// evenly along one dimension, or a part that is repeated. Returns its value; nothing if it is none of these.
std::optional<Graph::Ref> append_constant(Graph& graph, std::span<const Tensor> samples, const SizeFormulas& sizes);

}  // namespace mt
