// How several operands of one broadcast shape lie in memory, as a kernel walks them: dimensions are merged where memory allows and put in
// the first operand's memory order.
#pragma once

#include <cstdint>

#include "engine/core/tensor.h"

namespace mt {

class Geometry {
 public:
  static constexpr int max_operands = 16;

  explicit Geometry(Sizes shape);
  void add(const Tensor& t);               // its sizes must broadcast to the shape
  void add_scalar(void* value);            // one value for every element
  void collapse(bool keep_order = false);  // after the last add; keep_order: elements are walked in logical order

  int dim() const { return ndim_; }
  int64_t numel() const { return numel_; }
  int64_t size(int d) const { return shape_[d]; }
  int operands() const { return operands_; }
  int64_t stride(int operand, int d) const { return strides_[operand][d]; }  // bytes
  std::byte* data(int operand) const { return base_[operand]; }

 private:
  int ndim_, operands_ = 0;
  int64_t numel_;
  int64_t shape_[max_dims];
  std::byte* base_[max_operands];
  int64_t strides_[max_operands][max_dims];
};

// The shape of a and b together: NumPy's broadcasting. Raises an error that names op and argument.
Shape broadcast(std::string_view op, std::string_view argument, Sizes a, Sizes b);
// t seen with these sizes, repeated along dimensions of size 1 without copying.
Tensor expand_to(const Tensor& t, Sizes sizes);

}  // namespace mt
