#include "engine/onnx/unsigned.h"

#include <limits>

namespace mt::onnx {
namespace {

constexpr int64_t top_bit = std::numeric_limits<int64_t>::min();

bool is_wide(DType dtype) { return size_of(dtype) == sizeof(int64_t); }

}  // namespace

Tensor as_signed(const NodeRun& n, const Tensor& x) { return is_unsigned(x.dtype()) ? n.converted(x, arithmetic_dtype(x.dtype())) : x; }

Tensor in_order(const NodeRun& n, const Tensor& x) {
  const Tensor bits = as_signed(n, x);
  return is_unsigned(x.dtype()) && is_wide(x.dtype()) ? n.eval("(x, top) bitxor(x, top)", {bits, Operand(top_bit)}) : bits;
}

Tensor from_order(const NodeRun& n, const Tensor& x, DType dtype) {
  const bool is_shifted = is_unsigned(dtype) && is_wide(dtype);
  return n.converted(is_shifted ? n.eval("(x, top) bitxor(x, top)", {x, Operand(top_bit)}) : x, dtype);
}

Tensor unsigned_quotient(const NodeRun& n, const Tensor& x, const Tensor& y) {
  const DType dtype = x.dtype();
  const Tensor a = as_signed(n, x), b = as_signed(n, y);
  if (!is_wide(dtype)) return n.converted(n.eval("(a, b) cdiv(a, b)", {a, b}), dtype);
  // Half of x is no negative int64. Twice its quotient is the quotient of x, or less by 1. A divisor from 2^63 on is in x once or not at
  // all.
  const Tensor twice = n.eval("(a, b) lshift(cdiv(rshift(a, 1), b), 1)", {a, b});
  const Tensor rest = n.converted(n.eval("(a, b, q) csub(a, cmul(q, b))", {a, b, twice}), dtype);
  const Tensor exact = n.eval("(q, rest, y) add(q, to(ge(rest, y), 'int64'))", {twice, rest, y});
  const Tensor once = n.eval("(x, y) to(ge(x, y), 'int64')", {x, y});
  return n.converted(n.eval("(b, once, exact) where(lt(b, 0), once, exact)", {b, once, exact}), dtype);
}

Tensor unsigned_remainder(const NodeRun& n, const Tensor& x, const Tensor& y) {
  const Tensor quotient = as_signed(n, unsigned_quotient(n, x, y));
  return n.converted(n.eval("(x, q, y) csub(x, cmul(q, y))", {as_signed(n, x), quotient, as_signed(n, y)}), x.dtype());
}

}  // namespace mt::onnx
