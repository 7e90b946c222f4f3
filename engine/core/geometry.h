// The memory layout of several operands with one broadcast shape, for iteration in kernels: adjacent dimensions are merged if possible, and
// sorted in the first operand's memory order.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/core/operand.h"

namespace mt {

class Geometry {
 public:
  static constexpr int max_operands = 16;

  Geometry() {}  // NOLINT: empty; `= default` would set all bytes to 0
  explicit Geometry(Sizes shape);
  Geometry(const Geometry& other) { assign(other); }
  Geometry& operator=(const Geometry& other) {
    if (this != &other) assign(other);
    return *this;
  }
  void add(const Tensor& t);                  // its sizes must broadcast to the shape
  void add_scalar(const ScalarValue& value);  // one value for every element; copied
  void collapse(bool keep_order = false);     // after the last add; keep_order: iterate in logical order

  explicit operator bool() const { return operands_ > 0; }
  int dim() const { return ndim_; }
  int64_t numel() const { return numel_; }
  int64_t size(int d) const { return shape_[d]; }
  int operands() const { return operands_; }
  int64_t stride(int operand, int d) const { return strides_[operand * room_ + d]; }  // bytes
  std::byte* data(int operand) const { return is_scalar(operand) ? const_cast<std::byte*>(scalars_[operand].bytes) : addresses_[operand]; }
  void visit(OperandVisitor& visitor) { addresses_.visit(visitor, operands_); }

 private:
  static constexpr int most_inline = 8 * max_operands;  // strides

  bool is_scalar(int operand) const { return (scalar_operands_ >> operand & 1) != 0; }
  int64_t* strides_of(int operand) { return strides_ + operand * room_; }
  void make_room(int dims);
  void assign(const Geometry& other);

  int ndim_ = 0, operands_ = 0;
  int room_ = 0;                  // for dimensions, of each operand
  uint32_t scalar_operands_ = 0;  // bit i: operand i is a scalar
  int64_t numel_ = 0;
  int64_t* strides_ = inline_strides_;
  std::unique_ptr<int64_t[]> many_;  // of more than 8 dimensions
  Addresses<max_operands> addresses_;
  int64_t shape_[max_dims];
  int64_t inline_strides_[most_inline];
  ScalarValue scalars_[max_operands];
};

// The shape of a and b together: NumPy's broadcasting. Raises an error that names op and argument.
Shape broadcast(std::string_view op, std::string_view argument, Sizes a, Sizes b);
// Whether expand_to can see a tensor of some sizes with others.
bool broadcasts_to(Sizes from, Sizes to);
// t seen with these sizes, repeated along dimensions of size 1 without copying.
Tensor expand_to(const Tensor& t, Sizes sizes);

}  // namespace mt
