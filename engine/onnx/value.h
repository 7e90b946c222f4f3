// Values of a run of an ONNX model.
#pragma once

#include <memory>
#include <vector>

#include "engine/core/tensor.h"

namespace mt::onnx {

// A tensor, or a sequence of values. ONNX has tensors without dimensions: here they have one element.
struct NodeValue {
  Tensor tensor;
  bool is_scalar = false;                                         // no dimensions
  bool is_known = false;                                          // it depends on no element of the inputs
  std::shared_ptr<const std::vector<NodeValue>> items = nullptr;  // of a sequence

  int rank() const { return is_scalar ? 0 : tensor.dim(); }
  Sizes sizes() const { return is_scalar ? Sizes() : tensor.sizes(); }
};

}  // namespace mt::onnx
