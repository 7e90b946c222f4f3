// Runs expressions of the language of graphs on tensors and numbers: the form in which ONNX's ops are written.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "engine/graph/executor.h"

namespace mt::onnx {

// An argument of an expression. Lists must live as long as the call.
class Operand {
 public:
  Operand(const Tensor& t) : value_(const_cast<Tensor&>(t)) {}           // NOLINT: implicit, and ops do not change their arguments
  Operand(double number) : value_(number) {}                             // NOLINT: implicit
  Operand(int64_t number);                                               // NOLINT: implicit
  Operand(int number) : Operand(int64_t{number}) {}                      // NOLINT: implicit
  Operand(bool condition);                                               // NOLINT: implicit
  Operand(DType dtype);                                                  // NOLINT: implicit
  Operand(Sizes sizes);                                                  // NOLINT: implicit
  Operand(const std::vector<int64_t>& sizes) : Operand(Sizes(sizes)) {}  // NOLINT: implicit
  Operand(std::span<Tensor* const> tensors);                             // NOLINT: implicit
  static Operand absent() { return Operand(Value()); }

  const Value& value() const { return value_; }

 private:
  explicit Operand(const Value& value) : value_(value) {}
  Value value_;
};

// A dimension that counts from 0, as an argument.
inline Operand dimension(int64_t dim) { return Operand(dim + 1); }

// Runs an expression with these arguments, "(x, dim) cumsum(x, dim)", and returns its values; "(x) max(x, 1)[2], x" has two. Expressions
// count dimensions and positions from 1. The text must live forever: it is parsed once for each combination of types of arguments.
std::vector<Tensor> evaluate_all(const RunSettings& settings, std::string_view text, std::span<const Operand> operands);
Tensor evaluate(const RunSettings& settings, std::string_view text, std::initializer_list<Operand> operands);

}  // namespace mt::onnx
