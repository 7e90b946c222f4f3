// Quantised tensors: integers that stand for scale * (integer - zero point). Jacob et al. (2018), "Quantization and Training of Neural
// Networks for Efficient Integer-Arithmetic-Only Inference", CVPR.
#include <algorithm>
#include <cmath>

#include "engine/onnx/cast.h"
#include "engine/onnx/integers.h"
#include "engine/onnx/node_kind.h"
#include "engine/onnx/quantize.h"

namespace mt::onnx {
namespace {

struct Bounds {
  double least, most;
};

Bounds bounds_of(const NodeRun& n, DType dtype) {
  const NumberKind kind = kind_of(dtype);
  const int bits = 8 * size_of(dtype);
  if (bits <= 32 && kind == NumberKind::unsigned_integer) return {0, std::ldexp(1, bits) - 1};
  if (bits <= 32 && kind == NumberKind::signed_integer) return {-std::ldexp(1, bits - 1), std::ldexp(1, bits - 1) - 1};
  n.refuse(concat("quantised elements of the dtype ", info(dtype).name), "float8, or integers of at most 32 bits");
}

// Scales or zero points for all elements: one for all, one for each slice along the axis, or one for each block of it.
Tensor for_all(const NodeRun& n, const NodeValue& given, const Tensor& like, int64_t axis) {
  const Tensor& t = given.tensor;
  if (t.numel() == 1) return n.broadcast({t, true}, like.sizes());
  const int dim = n.axis(axis, like.dim());
  if (t.dim() == 1) {
    std::vector<int64_t> sizes(static_cast<size_t>(like.dim()), 1);
    sizes[static_cast<size_t>(dim)] = t.numel();
    return n.broadcast({n.reshaped(t, sizes)}, like.sizes());
  }
  const int64_t blocks = t.size(dim);
  if (t.dim() != like.dim() || blocks == 0 || like.size(dim) % blocks != 0)
    n.refuse("scales of other sizes", "one for all, each slice or each block");
  const int64_t block = like.size(dim) / blocks;
  if (block == 1) return n.broadcast(given, like.sizes());
  std::vector<int64_t> column, wide;
  for (int d = 0; d < like.dim(); ++d) {
    column.push_back(t.size(d));
    wide.push_back(t.size(d));
    if (d == dim) {
      column.push_back(1);
      wide.push_back(block);
    }
  }
  return n.reshaped(n.broadcast({n.reshaped(t, column)}, wide), like.sizes());
}

}  // namespace

Tensor quantized(const NodeRun& n, const Tensor& x, const Tensor& scale, const Tensor& zero, DType dtype) {
  const Tensor exact = n.eval("(x, scale) cdiv(x, scale)", {x, scale});
  if (kind_of(dtype) == NumberKind::real && size_of(dtype) == 1)
    return cast_tensor(n, n.eval("(x, zero) add(x, zero)", {exact, n.converted(zero, exact.dtype())}), dtype);
  const Bounds bounds = bounds_of(n, dtype);
  const Tensor steps = n.rounded(exact);
  const Tensor all = n.eval("(x, zero, least, most) clamp(add(x, zero), least, most)",
                            {n.converted(steps, DType::float64), n.converted(zero, DType::float64), bounds.least, bounds.most});
  return n.converted(all, dtype);
}

namespace {

void quantize_linear(NodeRun& n) {
  const Tensor& x = n.tensor(0);
  DType dtype = DType::uint8;
  if (n.has(2))
    dtype = n.dtype(2);
  else if (const int64_t type = n.integer("output_dtype", 0); type != 0)
    dtype = dtype_of_elements(type).value_or(DType::float32);
  const int64_t axis = n.integer("axis", 1);
  if (auto integers = integers_of(n, x, 1, 2, axis, dtype)) return n.give(*integers, n.in(0).is_scalar);
  const DType precise = is_float(x.dtype()) ? x.dtype() : DType::float32;
  const Tensor scale = n.converted(for_all(n, n.in(1), x, axis), precise);
  const Tensor zero = n.has(2) ? for_all(n, n.in(2), x, axis) : n.filled(x.sizes(), 0, dtype);
  n.give(quantized(n, n.converted(x, precise), scale, zero, dtype), n.in(0).is_scalar);
}

Tensor dequantized(const NodeRun& n, const Tensor& x, const Tensor& scale, const std::optional<Tensor>& zero) {
  Tensor steps = n.converted(x, DType::float64);
  if (zero) steps = n.eval("(x, zero) csub(x, zero)", {steps, n.converted(*zero, DType::float64)});
  return n.eval("(x, scale) cmul(x, scale)", {n.converted(steps, scale.dtype()), scale});
}

void dequantize_linear(NodeRun& n) {
  const Tensor& x = n.tensor(0);
  const int64_t axis = n.integer("axis", 1);
  std::optional<Tensor> numbers = numbers_of(n, x, 1, 2, axis);
  if (!numbers) {
    const Tensor scale = for_all(n, n.in(1), x, axis);
    numbers = dequantized(n, x, scale, n.has(2) ? std::optional(for_all(n, n.in(2), x, axis)) : std::nullopt);
  }
  Tensor y = *numbers;
  if (const auto dtype = dtype_of_elements(n.integer("output_dtype", 0))) y = n.converted(y, *dtype);
  n.give(y, n.in(0).is_scalar);
}

void dynamic_quantize_linear(NodeRun& n) {
  const Tensor& x = n.tensor(0);
  const Tensor flat = n.reshaped(x, Shape{x.numel()});
  const Tensor least = n.eval("(x) cmin(min(x, 1), 0)", {flat}), most = n.eval("(x) cmax(max(x, 1), 0)", {flat});
  const Tensor scale = n.eval("(least, most) div(csub(most, least), 255)", {least, most});
  const Tensor exact = n.eval("(least, scale) clamp(neg(cdiv(least, scale)), 0, 255)", {least, scale});
  const Tensor zero = n.converted(n.rounded(exact), DType::uint8);
  n.give(quantized(n, x, n.broadcast({scale, true}, x.sizes()), n.broadcast({zero, true}, x.sizes()), DType::uint8), n.in(0).is_scalar);
  n.give(scale, true, 1);
  n.give(zero, true, 2);
}

// ---- products of integers: by kernels for 8 bits, or exact in float64

// Integers minus their zero point; a vector of zero points has one for each row, or for each column.
Tensor centered(const NodeRun& n, size_t i, size_t zero, bool by_rows) {
  const Tensor& x = n.tensor(i);
  const Tensor wide = n.converted(x, DType::float64);
  if (!n.has(zero)) return wide;
  Tensor z = n.converted(n.tensor(zero), DType::float64);
  if (z.numel() > 1 && z.dim() == 1 && by_rows) z = n.reshaped(z, Shape{z.numel(), 1});
  return n.eval("(x, zero) csub(x, zero)", {wide, n.broadcast({z, z.numel() == 1}, x.sizes())});
}

void mat_mul_integer(NodeRun& n) {
  if (const auto sums = integer_product(n, {0, 2}, {1, 3})) return n.give(*sums);
  const Tensor y = n.eval("(a, b) matmul(a, b)", {centered(n, 0, 2, true), centered(n, 1, 3, false)});
  n.give(n.converted(y, DType::int32));
}

Tensor scale_of(const NodeRun& n, size_t i, bool by_rows) {
  const Tensor s = n.converted(n.tensor(i), DType::float64);
  return s.numel() > 1 && s.dim() == 1 && by_rows ? n.reshaped(s, Shape{s.numel(), 1}) : s;
}

void q_linear_mat_mul(NodeRun& n) {
  const auto integers = integer_product(n, {0, 2}, {3, 5});
  const Tensor sums = integers ? n.converted(*integers, DType::float64)
                               : n.eval("(a, b) matmul(a, b)", {centered(n, 0, 2, true), centered(n, 3, 5, false)});
  const auto wide = [&](const Tensor& t) { return n.broadcast({t, t.numel() == 1}, sums.sizes()); };
  const Tensor y = n.eval("(x, a, b) cmul(cmul(x, a), b)", {sums, wide(scale_of(n, 1, true)), wide(scale_of(n, 4, false))});
  const DType dtype = n.dtype(7);
  n.give(quantized(n, n.converted(y, DType::float32), n.converted(wide(scale_of(n, 6, false)), DType::float32), wide(n.tensor(7)), dtype));
}

constexpr NodeKind kinds[] = {
    {"DequantizeLinear", dequantize_linear}, {"DynamicQuantizeLinear", dynamic_quantize_linear},
    {"MatMulInteger", mat_mul_integer},      {"QLinearMatMul", q_linear_mat_mul},
    {"QuantizeLinear", quantize_linear},
};

}  // namespace

std::span<const NodeKind> quantization_kinds() { return built_kinds<kinds>(); }

}  // namespace mt::onnx
