#include "engine/onnx/integers.h"

#include "engine/core/registry.h"

namespace mt::onnx {
namespace {

bool has_kernels() {
  static const bool present = Registry::instance().find("int8Linear") != nullptr;  // the minimal library lacks them
  return present;
}

bool has_8_bits(const Tensor& t) { return t.dtype() == DType::uint8 || t.dtype() == DType::int8; }

// A weight as int8, and its zero points for `count` rows; unsigned ones and their zero points get 128 subtracted.
struct Weight {
  Tensor elements;
  std::optional<Tensor> zeros;

  Operand zero() const { return zeros ? Operand(*zeros) : Operand::absent(); }
};

std::optional<Weight> weight_of(const NodeRun& n, const Integers& input, int64_t count) {
  const Tensor& given = n.tensor(input.elements);
  const bool is_unsigned = given.dtype() == DType::uint8;
  Weight weight{given, std::nullopt};
  if (n.has(input.zero)) {
    const Tensor& zero = n.tensor(input.zero);
    if (zero.numel() != 1 && zero.numel() != count) return std::nullopt;
    const std::vector<int64_t> one{1}, sizes{count};
    const Tensor all = zero.numel() == count ? n.reshaped(zero, sizes) : n.broadcast({n.reshaped(zero, one)}, sizes);
    weight.zeros = n.converted(all, DType::int32);
  } else if (is_unsigned) {
    weight.zeros = n.filled(std::vector<int64_t>{count}, 0, DType::int32);
  }
  if (is_unsigned) {
    weight.elements = n.converted(n.eval("(x) csub(x, 128)", {n.converted(given, DType::int16)}), DType::int8);
    weight.zeros = n.eval("(x) csub(x, 128)", {*weight.zeros});
  }
  return weight;
}

// sums - zero * those of ones: the zero point of x may be a result of another node.
Tensor centred(const NodeRun& n, const Tensor& sums, const Tensor& zero, const Tensor& of_ones) {
  return n.eval("(x, zero, ones) csub(x, cmul(zero, ones))",
                {sums, n.broadcast({zero}, sums.sizes()), n.broadcast({of_ones}, sums.sizes())});
}

// A product of two batches of matrices, with one zero point each, which may be results of other nodes.
std::optional<Tensor> batched_product(const NodeRun& n, const Integers& a, const Integers& b) {
  const Tensor &x = n.tensor(a.elements), &y = n.tensor(b.elements);
  const auto zero_of = [&](const Integers& i) { return n.reshaped(n.converted(n.tensor(i.zero), DType::int32), std::vector<int64_t>{1}); };
  for (const Integers* i : {&a, &b}) {
    if (n.has(i->zero) && n.tensor(i->zero).numel() != 1) return std::nullopt;
  }
  const int64_t depth = x.size(x.dim() - 1);
  constexpr std::string_view product = "(x, y) int8Matmul(x, y)";
  Tensor sums = n.eval(product, {x, y});
  const auto ones = [&](int64_t rows, int64_t columns) { return n.filled(std::vector<int64_t>{rows, columns}, 1, DType::uint8); };
  if (n.has(a.zero)) sums = centred(n, sums, zero_of(a), n.eval(product, {ones(1, depth), y}));
  if (!n.has(b.zero)) return sums;
  Tensor of_rows = n.eval(product, {x, ones(depth, 1)});
  if (n.has(a.zero))
    of_rows = n.eval("(x, zero, depth) csub(x, mul(zero, depth))", {of_rows, n.broadcast({zero_of(a)}, of_rows.sizes()), depth});
  return centred(n, sums, zero_of(b), of_rows);
}

bool has_one_scale(const NodeRun& n, const Tensor& x, size_t scale, size_t zero, int64_t axis) {
  const Tensor& s = n.tensor(scale);
  const int64_t slices = s.numel() == 1 ? 1 : s.dim() == 1 ? x.size(n.axis(axis, x.dim())) : 0;
  return has_kernels() && s.dtype() == DType::float32 && s.numel() == slices && (!n.has(zero) || n.tensor(zero).numel() == slices);
}

Operand axis_of(const NodeRun& n, const Tensor& x, size_t scale, int64_t axis) {
  return n.tensor(scale).numel() == 1 ? Operand::absent() : dimension(n.axis(axis, x.dim()));
}

}  // namespace

std::optional<Tensor> integer_product(const NodeRun& n, const Integers& a, const Integers& b) {
  const Tensor &x = n.tensor(a.elements), &w = n.tensor(b.elements);
  if (!has_kernels() || !has_8_bits(x) || !has_8_bits(w) || x.dim() < 2 || w.dim() < 2) return std::nullopt;
  const int64_t depth = w.size(w.dim() - 2), columns = w.size(w.dim() - 1);
  if (x.size(x.dim() - 1) != depth || depth > 65536) return std::nullopt;
  if (w.dim() > 2) return batched_product(n, a, b);
  const bool has_zero = n.has(a.zero);
  const int64_t zeros = has_zero ? n.tensor(a.zero).numel() : 1;
  if (zeros != 1 && (n.tensor(a.zero).dim() != 1 || zeros != x.size(x.dim() - 2))) return std::nullopt;
  const auto weight = weight_of(n, b, columns);
  if (!weight) return std::nullopt;
  const Tensor packed = n.eval("(w) int8Pack(t(w))", {weight->elements});
  constexpr std::string_view product = "(x, w, columns, zeros) int8Linear(x, w, columns, 0, weightZero=zeros)";
  const Tensor sums = n.eval(product, {x, packed, columns, weight->zero()});
  if (!has_zero) return sums;
  const Tensor ones = n.filled(std::vector<int64_t>{1, depth}, 1, DType::uint8);
  const std::vector<int64_t> column{zeros, 1};
  return centred(n, sums, n.reshaped(n.converted(n.tensor(a.zero), DType::int32), column),
                 n.eval(product, {ones, packed, columns, weight->zero()}));
}

std::optional<Tensor> integer_convolution(const NodeRun& n, const Integers& x, const Integers& weight, const Windows& w) {
  const Tensor &pictures = n.tensor(x.elements), &filters = n.tensor(weight.elements);
  if (!has_kernels() || !has_8_bits(pictures) || !has_8_bits(filters) || pictures.dim() != 4 || filters.dim() != 4) return std::nullopt;
  const int64_t columns = filters.size(0), depth = columns == 0 ? 0 : filters.numel() / columns, groups = n.integer("group", 1);
  if (columns == 0 || depth > 65536 || (n.has(x.zero) && n.tensor(x.zero).numel() != 1)) return std::nullopt;
  if (filters.size(1) * groups != pictures.size(1)) return std::nullopt;
  const auto rows = weight_of(n, weight, columns);
  if (!rows) return std::nullopt;
  const Tensor packed = n.eval("(w, groups) int8Pack(w, groups)", {rows->elements, groups});
  const std::vector<int64_t> window{w.strides[0], w.strides[1], w.before[0],    w.before[1],
                                    w.after[0],   w.after[1],   w.dilations[0], w.dilations[1]};
  const auto convolved = [&](const Tensor& from) {
    return n.eval(
        "(x, w, columns, kernel, zeros, window, groups) contiguous(int8Conv2d(x, w, columns, kernel, 0, weightZero=zeros, window=window, "
        "groups=groups))",
        {from, packed, columns, w.kernel, rows->zero(), window, groups});
  };
  const Tensor sums = convolved(pictures);
  if (!n.has(x.zero)) return sums;
  const std::vector<int64_t> one_picture{1, pictures.size(1), pictures.size(2), pictures.size(3)}, one{1, 1, 1, 1};
  return centred(n, sums, n.reshaped(n.converted(n.tensor(x.zero), DType::int32), one), convolved(n.filled(one_picture, 1, DType::uint8)));
}

std::optional<Tensor> integers_of(const NodeRun& n, const Tensor& x, size_t scale, size_t zero, int64_t axis, DType dtype) {
  if (x.dtype() != DType::float32 || (dtype != DType::uint8 && dtype != DType::int8) || !has_one_scale(n, x, scale, zero, axis))
    return std::nullopt;
  return n.eval("(x, scale, zero, axis, dtype) quantize(x, scale, zero, axis, dtype)",
                {x, n.tensor(scale), n.optional(zero), axis_of(n, x, scale, axis), dtype});
}

std::optional<Tensor> numbers_of(const NodeRun& n, const Tensor& q, size_t scale, size_t zero, int64_t axis) {
  if ((!has_8_bits(q) && q.dtype() != DType::int32) || !has_one_scale(n, q, scale, zero, axis)) return std::nullopt;
  return n.eval("(q, scale, zero, axis) dequantize(q, scale, zero, axis)",
                {q, n.tensor(scale), n.optional(zero), axis_of(n, q, scale, axis)});
}

}  // namespace mt::onnx
