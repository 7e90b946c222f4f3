// Steps that multiply each channel of images by a constant, and add another one.
#pragma once

#include <optional>
#include <vector>

#include "engine/passes/rewrite.h"

namespace mt {

// y = factor x + summand, by channel.
struct ChannelAffine {
  std::vector<double> factor, summand;

  explicit ChannelAffine(size_t channels) : factor(channels, 1), summand(channels, 0) {}
  // This one, and then another one.
  void append(const ChannelAffine& next);
};

// What a step computes from a value x: batchNorm with constant statistics, of which only the first result is used, or a product, quotient,
// sum or difference of x and a number or a constant that differs by channel alone. x has channels in dimension 2, and the result is of its
// type, `type`. Nothing for other steps, and if a constant is not finite or the graph writes to it.
std::optional<ChannelAffine> channel_affine(const Graph& graph, const Uses& uses, const Graph::Step& step, Graph::Ref x,
                                            const ValueType& type);

// The constant on the CPU that an argument is, of floats, to which the graph does not write; or null.
const Tensor* fixed_constant(const Graph& graph, const Graph::Argument& argument);

}  // namespace mt
