// The plan of elementwise ops: shapes, dtypes and results; the arithmetic is the kernel's.
#pragma once

#include "engine/core/geometry.h"
#include "engine/core/registry.h"

namespace mt {

// All operands have one dtype. Those whose bit in `scalars` is set (bit 0: the first one) are one value, of the type in which the dtype is
// computed. Operand 0 of pointers and geometry is the result.
struct PointwisePlan {
  static constexpr int max_operands = Signature::max_params;

  DType dtype, result_dtype;
  bool in_order = false;  // the result overlaps itself: each element is visited in turn, so that x:expand(3):add(1) adds 3
  int count;              // operands
  uint32_t scalars = 0;
  int64_t n;                             // elements of the result
  Addresses<max_operands + 1> pointers;  // if everything is contiguous and has n elements; those of scalars point to `values`
  int64_t strides[max_operands + 1];     // in that case, bytes from element to element: 0 for one value
  ScalarValue values[max_operands];
  Geometry geometry;  // in all other cases

  PointwisePlan(DType computed, DType result, int operands, int64_t elements)
      : dtype(computed), result_dtype(result), count(operands), n(elements) {}
  PointwisePlan(const PointwisePlan& other);
  PointwisePlan& operator=(const PointwisePlan&) = delete;

  bool is_scalar(int operand) const { return (scalars >> operand & 1) != 0; }
  void visit(OperandVisitor& visitor) { geometry ? geometry.visit(visitor) : pointers.visit(visitor, count + 1); }
};

void plan_pointwise(Call& call);

}  // namespace mt
