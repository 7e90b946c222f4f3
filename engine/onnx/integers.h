// Products and convolutions of 8-bit integers by the kernels for them. All functions return nothing where the kernels don't fit; the sums
// are then computed in float64.
#pragma once

#include <optional>

#include "engine/onnx/windows.h"

namespace mt::onnx {

// Inputs of a node: integers and their zero point, which may be absent.
struct Integers {
  size_t elements, zero;
};

// The sums of (a - zero) (b - zero) in int32, of a (…, k) and a matrix b (k, n), or of batches of matrices.
std::optional<Tensor> integer_product(const NodeRun& n, const Integers& a, const Integers& b);

// The sums of a convolution of pictures of two dimensions; borders count as the zero point.
std::optional<Tensor> integer_convolution(const NodeRun& n, const Integers& x, const Integers& weight, const Windows& windows);

// quantize or dequantize with a scale and a zero point for all elements or for each slice of a dimension.
std::optional<Tensor> integers_of(const NodeRun& n, const Tensor& x, size_t scale, size_t zero, int64_t axis, DType dtype);
std::optional<Tensor> numbers_of(const NodeRun& n, const Tensor& q, size_t scale, size_t zero, int64_t axis);

}  // namespace mt::onnx
