// Arithmetic of unsigned integers of 16, 32 and 64 bits, which ONNX has and the engine lacks: in signed integers.
#pragma once

#include "engine/onnx/node_run.h"

namespace mt::onnx {

// Whether elements are unsigned integers without arithmetic.
inline bool is_unsigned(DType dtype) { return storage_dtypes.contains(dtype) && kind_of(dtype) == NumberKind::unsigned_integer; }

// The elements as signed integers that hold them; the bits of uint64 as int64. Other tensors as they are.
Tensor as_signed(const NodeRun& n, const Tensor& x);

// The same in the order of the elements: a uint64 is shifted by 2^63. `from_order` returns to the dtype.
Tensor in_order(const NodeRun& n, const Tensor& x);
Tensor from_order(const NodeRun& n, const Tensor& x, DType dtype);

// Quotients and remainders of tensors of one unsigned dtype and of equal sizes.
Tensor unsigned_quotient(const NodeRun& n, const Tensor& x, const Tensor& y);
Tensor unsigned_remainder(const NodeRun& n, const Tensor& x, const Tensor& y);

}  // namespace mt::onnx
