// The plan of elementwise ops: shapes, dtypes and results; the arithmetic is the kernel's.
#pragma once

#include "engine/core/geometry.h"
#include "engine/core/registry.h"

namespace mt {

// Operands are in one dtype; those whose bit in `scalars` is set (bit 0: the first one) are one value, of the type that computes the dtype.
// Operand 0 of pointers and geometry is the result.
struct PointwisePlan {
  DType dtype, result_dtype;
  int count;  // operands
  uint32_t scalars;
  const ScalarValue* values;
  int64_t n;                   // elements of the result
  std::byte* const* pointers;  // where everything is contiguous and has n elements
  const int64_t* strides;      // then, bytes from element to element: 0 for one value
  const Geometry* geometry;    // else this one tells
  bool in_order;               // the result overlaps itself: each element is visited in turn, so that x:expand(3):add(1) adds 3
};

void plan_pointwise(Call& call);

}  // namespace mt
