// Sums, extrema and norms over dimensions; softmax; running sums; positions of extrema.
#include <algorithm>
#include <numeric>

#include "engine/onnx/node_kind.h"

namespace mt::onnx {
namespace {

// A reduction of the last dimension.
struct Reduction {
  std::string_view formula;
  double of_nothing;  // for a dimension of size 0
};

// The reduced dimensions: an input of newer versions, an attribute of older ones.
std::vector<int> axes_of(const NodeRun& n, int rank) {
  const auto given = n.integers(1, "axes");
  std::vector<int> axes;
  if (given) {
    for (const int64_t axis : *given) axes.push_back(n.axis(axis, rank));
  }
  if (axes.empty() && n.integer("noop_with_empty_axes", 0) == 0) {
    axes.resize(static_cast<size_t>(rank));
    std::iota(axes.begin(), axes.end(), 0);
  }
  std::ranges::sort(axes);
  return axes;
}

// One dimension is reduced in place; several ones become the last dimension first.
void reduce(NodeRun& n, const Reduction& reduction, std::string_view before = {}, std::string_view after = {}) {
  const NodeValue& x = n.in(0);
  const int rank = x.rank();
  const std::vector<int> axes = axes_of(n, rank);
  Tensor t = x.tensor;
  if (!before.empty()) t = n.eval(before, {t});
  std::vector<int64_t> kept, order, sizes;
  int64_t reduced = 1;
  const bool keeps = n.integer("keepdims", 1) != 0;
  for (int dim = 0; dim < rank; ++dim) {
    const bool is_reduced = std::ranges::find(axes, dim) != axes.end();
    if (is_reduced) {
      reduced *= t.size(dim);
      if (keeps) sizes.push_back(1);
    } else {
      order.push_back(dim);
      kept.push_back(t.size(dim));
      sizes.push_back(t.size(dim));
    }
  }
  if (!axes.empty() && reduced == 0) {
    t = n.filled(sizes, reduction.of_nothing, t.dtype());
  } else if (axes.size() == 1) {
    t = n.eval(reduction.formula, {t, dimension(axes[0])});
  } else if (!axes.empty()) {
    order.insert(order.end(), axes.begin(), axes.end());
    kept.push_back(reduced);
    t = n.eval(reduction.formula, {n.reshaped(n.permuted(t, order), kept), dimension(static_cast<int64_t>(kept.size()) - 1)});
  }
  if (!after.empty()) t = n.eval(after, {t});
  n.give(n.converted(t, x.tensor.dtype()), sizes);
}

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Reduction sums{"(x, dim) sum(x, dim)", 0};

void reduce_sum(NodeRun& n) { reduce(n, sums); }
void reduce_mean(NodeRun& n) { reduce(n, {"(x, dim) mean(x, dim)", std::numeric_limits<double>::quiet_NaN()}); }
void reduce_l1(NodeRun& n) { reduce(n, sums, "(x) abs(x)"); }
void reduce_l2(NodeRun& n) { reduce(n, {"(x, dim) norm(x, 2, dim)", 0}); }
void reduce_log_sum(NodeRun& n) { reduce(n, sums, {}, "(x) log(x)"); }
void reduce_log_sum_exp(NodeRun& n) { reduce(n, {"(x, dim) logsumexp(x, dim)", -infinity}); }
void reduce_prod(NodeRun& n) { reduce(n, {"(x, dim) prod(x, dim)", 1}); }
void reduce_sum_square(NodeRun& n) { reduce(n, sums, "(x) cmul(x, x)"); }

void reduce_extremum(NodeRun& n, std::string_view formula, double of_nothing) {
  if (n.dtype(0) == DType::boolean)
    reduce(n, {formula, of_nothing > 0 ? 1.0 : 0.0}, "(x) to(x, 'uint8')");
  else
    reduce(n, {formula, of_nothing});
}
void reduce_max(NodeRun& n) { reduce_extremum(n, "(x, dim) max(x, dim)", -infinity); }
void reduce_min(NodeRun& n) { reduce_extremum(n, "(x, dim) min(x, dim)", infinity); }

// The positions of extrema; engine ops count them from 1, and return the first.
void arg_extremum(NodeRun& n, std::string_view first, std::string_view last) {
  const int rank = n.rank(0), dim = n.axis_attribute(0, rank);
  const Tensor& x = n.tensor(0);
  const bool is_last = n.integer("select_last_index", 0) != 0;
  const std::vector<int64_t> dims{dim + 1};
  const Tensor found = is_last ? n.eval(last, {x, dimension(dim), dims, Operand(x.size(dim))}) : n.eval(first, {x, dimension(dim)});
  std::vector<int64_t> sizes(n.sizes(0).begin(), n.sizes(0).end());
  if (n.integer("keepdims", 1) != 0 && rank > 0)
    sizes[static_cast<size_t>(dim)] = 1;
  else if (rank > 0)
    sizes.erase(sizes.begin() + dim);
  n.give(found, sizes);
}

void arg_max(NodeRun& n) {
  arg_extremum(n, "(x, dim) add(argmax(x, dim), -1)", "(x, dim, dims, size) add(neg(argmax(flip(x, dims), dim)), size)");
}
void arg_min(NodeRun& n) {
  arg_extremum(n, "(x, dim) add(argmin(x, dim), -1)", "(x, dim, dims, size) add(neg(argmin(flip(x, dims), dim)), size)");
}

// Before version 13 the dimensions from the axis on count as one.
void softmax(NodeRun& n, std::string_view formula) {
  const NodeValue& x = n.in(0);
  if (n.version() >= 13) return n.give(n.eval(formula, {x.tensor, dimension(n.axis_attribute(-1, x.rank()))}), x.is_scalar);
  const int axis = n.axis_attribute(1, x.rank());
  int64_t rows = 1, columns = 1;
  for (int dim = 0; dim < x.rank(); ++dim) (dim < axis ? rows : columns) *= x.tensor.size(dim);
  n.give(n.eval(formula, {n.reshaped(x.tensor, Shape{rows, columns}), 2}), x.sizes());
}

void softmax(NodeRun& n) { softmax(n, "(x, dim) softmax(x, dim)"); }
void log_softmax(NodeRun& n) { softmax(n, "(x, dim) logsoftmax(x, dim)"); }

void hardmax(NodeRun& n) {
  const NodeValue& x = n.in(0);
  const bool is_old = n.version() < 13;
  const int axis = n.axis_attribute(is_old ? 1 : -1, x.rank());
  int64_t rows = 1, columns = 1;
  for (int dim = 0; dim < x.rank(); ++dim) (dim < axis ? rows : columns) *= x.tensor.size(dim);
  const Tensor t = is_old ? n.reshaped(x.tensor, Shape{rows, columns}) : x.tensor;
  const int dim = is_old ? 1 : axis;
  n.give(n.eval("(x, dim) scatter(zeros(size(x), 'float32'), dim, max(x, dim)[2], 1)", {n.converted(t, DType::float32), dimension(dim)}),
         x.sizes());
  n.results()[0].tensor = n.converted(n.results()[0].tensor, x.tensor.dtype());
}

// Running sums and products; an exclusive one begins with the neutral element and leaves the last element out.
void accumulate(NodeRun& n, std::string_view formula, double neutral) {
  const Tensor& x = n.tensor(0);
  const int dim = n.axis(n.integer(1), n.rank(0));
  const std::vector<int64_t> dims{dim + 1};
  const bool reverse = n.integer("reverse", 0) != 0;
  Tensor t = reverse ? n.eval("(x, dims) flip(x, dims)", {x, dims}) : x;
  if (n.integer("exclusive", 0) != 0 && x.size(dim) > 0) {
    Shape one = x.sizes();
    one[dim] = 1;
    const Tensor parts[] = {n.filled(one, neutral, x.dtype()), n.narrowed(t, dim, 0, x.size(dim) - 1)};
    t = n.concatenated(parts, dim);
  }
  t = n.eval(formula, {t, dimension(dim)});
  if (reverse) t = n.eval("(x, dims) flip(x, dims)", {t, dims});
  n.give(n.converted(t, x.dtype()), n.sizes(0));
}

void cum_sum(NodeRun& n) { accumulate(n, "(x, dim) cumsum(x, dim)", 0); }
void cum_prod(NodeRun& n) { accumulate(n, "(x, dim) cumprod(x, dim)", 1); }

constexpr NodeKind kinds[] = {
    {"ArgMax", arg_max},
    {"ArgMin", arg_min},
    {"CumProd", cum_prod},
    {"CumSum", cum_sum},
    {"Hardmax", hardmax},
    {"LogSoftmax", log_softmax},
    {"ReduceL1", reduce_l1},
    {"ReduceL2", reduce_l2},
    {"ReduceLogSum", reduce_log_sum},
    {"ReduceLogSumExp", reduce_log_sum_exp},
    {"ReduceMax", reduce_max},
    {"ReduceMean", reduce_mean},
    {"ReduceMin", reduce_min},
    {"ReduceProd", reduce_prod},
    {"ReduceSum", reduce_sum},
    {"ReduceSumSquare", reduce_sum_square},
    {"Softmax", softmax},
};

}  // namespace

std::span<const NodeKind> reduction_kinds() { return built_kinds<kinds>(); }

}  // namespace mt::onnx
