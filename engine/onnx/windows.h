// The windows of convolutions and pooling: sizes, strides and borders, as their attributes say.
#pragma once

#include "engine/onnx/node_run.h"

namespace mt::onnx {

struct Windows {
  std::vector<int64_t> kernel, strides, dilations, before, after;  // a number for each dimension of the picture

  size_t dims() const { return kernel.size(); }
  bool is_symmetric() const { return before == after; }
  int64_t extent(size_t i) const { return (kernel[i] - 1) * dilations[i] + 1; }
};

// The windows of a node on pictures with these sizes (batch, channels, ...); `kernel` of the weight where the attribute is absent. Raises
// an error for numbers that are not positive, or don't fit the dimensions.
Windows windows_of(const NodeRun& node, Sizes sizes, std::vector<int64_t> kernel = {});

// Tensors of one dimension as pictures of one row, since pooling has 2 or 3 dimensions. Adds what is missing.
void add_row(Windows& windows);

// The picture with its borders, filled with a value.
Tensor with_borders(const NodeRun& node, Tensor x, const Windows& windows, double value);

}  // namespace mt::onnx
