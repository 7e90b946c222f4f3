// Normalisation by means and variances, and by norms. Dropout, which does nothing in inference, is with them.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/onnx/node_kind.h"

namespace mt::onnx {
namespace {

void batch_normalization(NodeRun& n) {
  const Tensor& x = n.tensor(0);
  const double eps = n.number("epsilon", 1e-5);
  if (x.dim() < 2) n.refuse(concat(x.dim(), " dimensions"), "at least 2");
  if (n.integer("training_mode", 0) == 0) {
    const DType dtype = x.dtype(), statistics = n.dtype(3);
    if (statistics == dtype && n.dtype(1) == dtype)
      return n.give(n.eval("(x, weight, bias, mean, var, eps) batchNorm(x, weight, bias, mean, var, false, 0.1, eps)",
                           {x, n.tensor(1), n.tensor(2), n.tensor(3), n.tensor(4), eps}));
    const Tensor wide = n.converted(x, statistics);
    const auto channel = [&](size_t i) { return n.by_channel(n.converted(n.tensor(i), statistics), x); };
    return n.give(n.converted(n.eval("(x, weight, bias, mean, var, eps) add(cmul(cdiv(csub(x, mean), sqrt(add(var, eps))), weight), bias)",
                                     {wide, channel(1), channel(2), channel(3), channel(4), eps}),
                              dtype));
  }
  // Training: the batch's own mean and variance, and the running ones that follow them.
  const double momentum = n.number("momentum", 0.9);
  std::vector<int64_t> order{1, 0};
  for (int dim = 2; dim < x.dim(); ++dim) order.push_back(dim);
  const int64_t channels = x.size(1);
  const Tensor rows = n.reshaped(n.permuted(x, order), Shape{channels, channels == 0 ? 0 : x.numel() / channels});
  const Tensor mean = n.reshaped(n.eval("(x) mean(x, 2)", {rows}), Shape{channels}),
               var = n.reshaped(n.eval("(x) var(x, 2, true)", {rows}), Shape{channels});
  n.give(n.eval("(x, weight, bias, mean, var, eps) add(cmul(cdiv(csub(x, mean), sqrt(add(var, eps))), weight), bias)",
                {x, n.by_channel(n.tensor(1), x), n.by_channel(n.tensor(2), x), n.by_channel(mean, x), n.by_channel(var, x), eps}));
  constexpr std::string_view follow = "(old, new, m, rest) add(mul(old, m), mul(new, rest))";
  n.give(n.eval(follow, {n.tensor(3), mean, momentum, 1 - momentum}), false, 1);
  n.give(n.eval(follow, {n.tensor(4), var, momentum, 1 - momentum}), false, 2);
}

// Rows that are normalised by layerNorm.
Tensor normalized_rows(const NodeRun& n, const Tensor& x, int64_t rows, double eps) {
  const Tensor matrix = n.reshaped(x, Shape{rows, rows == 0 ? 0 : x.numel() / rows});
  return n.reshaped(n.eval("(x, eps) layerNorm(x, none, none, eps)", {matrix, eps}), x.sizes());
}

void instance_normalization(NodeRun& n) {
  const Tensor& x = n.tensor(0, 3);
  const Tensor y = normalized_rows(n, x, x.size(0) * x.size(1), n.number("epsilon", 1e-5));
  n.give(n.eval("(x, weight, bias) add(cmul(x, weight), bias)", {y, n.by_channel(n.tensor(1), x), n.by_channel(n.tensor(2), x)}));
}

void group_normalization(NodeRun& n) {
  const Tensor& x = n.tensor(0, 2);
  const int64_t groups = n.integer("num_groups", 1), channels = x.size(1);
  if (groups <= 0 || channels % groups != 0) n.refuse(concat(groups, " groups of ", channels, " channels"), "a divisor");
  Tensor y = normalized_rows(n, x, x.size(0) * groups, n.number("epsilon", 1e-5));
  const auto factors = [&](const Tensor& t) {  // before version 21 there is one for each group
    if (t.numel() != channels && (t.numel() == 0 || channels % t.numel() != 0)) n.refuse(concat(t.numel(), " factors"), concat(channels));
    if (t.numel() == channels) return n.by_channel(t, x);
    const Tensor repeated = n.broadcast({n.reshaped(t, Shape{t.numel(), 1})}, Shape{t.numel(), channels / t.numel()});
    return n.by_channel(n.reshaped(repeated, Shape{channels}), x);
  };
  n.give(n.eval("(x, weight, bias) add(cmul(x, weight), bias)", {y, factors(n.tensor(1)), factors(n.tensor(2))}));
}

// The dimensions from the axis on are one row.
struct Rows {
  int64_t rows = 1, length = 1;
  std::vector<int64_t> statistics;  // sizes of means
};

Rows rows_from_axis(const NodeRun& n) {
  const int axis = n.axis_attribute(-1, n.rank(0));
  Rows made;
  for (int dim = 0; dim < n.rank(0); ++dim) {
    const int64_t size = n.tensor(0).size(dim);
    (dim < axis ? made.rows : made.length) *= size;
    made.statistics.push_back(dim < axis ? size : 1);
  }
  return made;
}

// A weight whose sizes are those of a row, else nothing.
std::optional<Tensor> row_vector(const NodeRun& n, size_t i, int64_t length) {
  if (!n.has(i) || n.tensor(i).numel() != length) return std::nullopt;
  return n.reshaped(n.tensor(i), Shape{length});
}

void layer_normalization(NodeRun& n) {
  const Tensor& x = n.tensor(0);
  const Rows r = rows_from_axis(n);
  const double eps = n.number("epsilon", 1e-5);
  const auto weight = row_vector(n, 1, r.length), bias = row_vector(n, 2, r.length);
  const bool is_fused = weight && (bias || !n.has(2));
  const Operand none = Operand::absent();
  const auto all = n.eval_all(
      "(x, weight, bias, eps) layerNorm(x, weight, bias, eps)[1], layerNorm(x, weight, bias, eps)[2], layerNorm(x, weight, bias, eps)[3]",
      {n.reshaped(x, Shape{r.rows, r.length}), is_fused ? Operand(*weight) : none, is_fused && bias ? Operand(*bias) : none, eps});
  Tensor y = n.reshaped(all[0], x.sizes());
  if (!is_fused) y = n.eval("(x, weight) cmul(x, weight)", {y, n.broadcast(n.in(1), x.sizes())});
  if (!is_fused && n.has(2)) y = n.eval("(x, bias) add(x, bias)", {y, n.broadcast(n.in(2), x.sizes())});
  n.give(y);
  n.give(all[1], r.statistics, 1);
  n.give(all[2], r.statistics, 2);
}

void rms_normalization(NodeRun& n) {
  const Tensor& x = n.tensor(0);
  const Rows r = rows_from_axis(n);
  const auto weight = row_vector(n, 1, r.length);
  const Tensor rows = n.reshaped(x, Shape{r.rows, r.length});
  Tensor y =
      n.eval("(x, weight, eps) rmsNorm(x, weight, eps)", {rows, weight ? Operand(*weight) : Operand::absent(), n.number("epsilon", 1e-5)});
  y = n.reshaped(y, x.sizes());
  if (!weight && n.has(1)) y = n.eval("(x, weight) cmul(x, weight)", {y, n.broadcast(n.in(1), x.sizes())});
  n.give(y);
}

// x / (bias + alpha / size * sum of squares over neighbouring channels)^beta.
void lrn(NodeRun& n) {
  const Tensor& x = n.tensor(0, 2);
  const int64_t size = n.integer("size", 1), before = (size - 1) / 2, channels = x.size(1);
  if (size <= 0) n.refuse(concat("a size of ", size), "at least 1");
  const Tensor squares = n.eval("(x) cmul(x, x)", {x});
  const Tensor padded = n.padded(squares, 1, before, size - 1 - before, 0);
  Tensor sums = n.narrowed(padded, 1, 0, channels);
  for (int64_t i = 1; i < size; ++i) sums = n.eval("(x, y) add(x, y)", {sums, n.narrowed(padded, 1, i, channels)});
  const double factor = n.number("alpha", 1e-4) / static_cast<double>(size);
  n.give(n.eval("(x, sums, factor, bias, beta) cdiv(x, pow(add(mul(sums, factor), bias), beta))",
                {x, sums, factor, n.number("bias", 1), n.number("beta", 0.75)}));
}

void lp_normalization(NodeRun& n) {
  const Tensor& x = n.tensor(0);
  const int dim = n.axis_attribute(-1, n.rank(0));
  n.give(n.eval("(x, p, dim) where(eq(expandAs(norm(x, p, dim), x), 0), 0, cdiv(x, expandAs(norm(x, p, dim), x)))",
                {x, static_cast<double>(n.integer("p", 2)), dimension(dim)}));
}

void mean_variance_normalization(NodeRun& n) {
  const Tensor& x = n.tensor(0);
  const auto axes = n.integers("axes").value_or(std::vector<int64_t>{0, 2, 3});
  std::vector<int64_t> order, sizes, back(static_cast<size_t>(x.dim()));
  int64_t rows = 1;
  std::vector<bool> reduced(static_cast<size_t>(x.dim()));
  for (const int64_t axis : axes) reduced[static_cast<size_t>(n.axis(axis, x.dim()))] = true;
  for (const bool last : {false, true}) {
    for (int dim = 0; dim < x.dim(); ++dim) {
      if (reduced[static_cast<size_t>(dim)] != last) continue;
      back[static_cast<size_t>(dim)] = static_cast<int64_t>(order.size());
      order.push_back(dim);
      sizes.push_back(x.size(dim));
      if (!last) rows *= x.size(dim);
    }
  }
  n.give(n.permuted(n.reshaped(normalized_rows(n, n.permuted(x, order), rows, 1e-9), sizes), back));
}

void dropout(NodeRun& n) {
  const double ratio = n.has(1) ? n.number(size_t{1}) : n.number("ratio", 0.5);
  const bool trains = n.has(2) && n.integer(size_t{2}) != 0;
  if (!trains || ratio == 0) {
    n.give_value(n.in(0));
    const DType dtype = n.version() < 10 ? n.dtype(0) : DType::boolean;
    if (n.wants(1)) n.give(n.filled(n.sizes(0), 1, dtype), n.in(0).is_scalar, 1);
    return;
  }
  const Tensor drawn = n.eval("(sizes, dtype) rand(sizes = sizes, dtype = dtype)", {n.tensor(0).sizes(), n.dtype(0)});
  const Tensor mask = n.eval("(x, ratio, dtype) to(ge(x, ratio), dtype)", {drawn, ratio, n.dtype(0)});
  n.give(n.eval("(x, mask, scale) mul(cmul(x, mask), scale)", {n.tensor(0), mask, 1 / (1 - ratio)}), n.in(0).is_scalar);
  n.give(n.converted(mask, DType::boolean), n.in(0).is_scalar, 1);
}

constexpr NodeKind kinds[] = {
    {"BatchNormalization", batch_normalization},
    {"Dropout", dropout, {}, {}, NodeKind::Knows::nothing},
    {"GroupNormalization", group_normalization},
    {"InstanceNormalization", instance_normalization},
    {"LRN", lrn},
    {"LayerNormalization", layer_normalization},
    {"LpNormalization", lp_normalization},
    {"MeanVarianceNormalization", mean_variance_normalization},
    {"RMSNormalization", rms_normalization},
};

}  // namespace

std::span<const NodeKind> normalization_kinds() { return built_kinds<kinds>(); }

}  // namespace mt::onnx
