// Losses of classes.
#include <algorithm>

#include "engine/onnx/node_kind.h"

namespace mt::onnx {
namespace {

// Log-probabilities (batch, classes, ...) as a matrix with a row for each label.
struct Problem {
  Tensor rows, labels;
  std::vector<int64_t> sizes;  // of the labels
};

Problem problem_of(const NodeRun& n, const Tensor& x) {
  Problem made;
  std::vector<int64_t> order{0};
  for (int dim = 2; dim < x.dim(); ++dim) order.push_back(dim);
  for (const int64_t dim : order) made.sizes.push_back(x.size(static_cast<int>(dim)));
  order.push_back(1);
  const int64_t classes = x.size(1);
  const int64_t count = classes == 0 ? 0 : x.numel() / classes;
  made.rows = n.reshaped(n.permuted(x, order), Shape{count, classes});
  made.labels = n.reshaped(n.converted(n.tensor(1), DType::int64), Shape{count});
  if (n.tensor(1).numel() != count) n.refuse(concat(n.tensor(1).numel(), " labels"), concat(count));
  return made;
}

// The weighted losses of all labels; an ignored label has the weight 0.
void give_losses(NodeRun& n, const Problem& p) {
  const Shape column{p.labels.size(0), 1};
  const bool ignores = n.attribute("ignore_index") != nullptr;
  const int64_t ignored = n.integer("ignore_index", 0);
  Tensor labels = p.labels, weights;
  if (ignores) labels = n.eval("(y, ignored) where(eq(y, ignored), 0, y)", {labels, Operand(ignored)});
  const DType dtype = p.rows.dtype();
  if (n.has(2))
    weights = n.eval("(w, y) index(w, 1, add(y, 1))", {n.tensor(2), labels});
  else
    weights = n.filled(Shape{labels.size(0)}, 1, dtype);
  if (ignores) weights = n.eval("(y, ignored, w) where(eq(y, ignored), 0, w)", {p.labels, Operand(ignored), weights});
  const Tensor chosen = n.eval("(x, y) gather(x, 2, add(y, 1))", {p.rows, n.reshaped(labels, column)});
  const Tensor losses = n.eval("(x, w) cmul(neg(x), w)", {n.reshaped(chosen, Shape{labels.size(0)}), weights});
  const std::string_view reduction = n.string("reduction", "mean");
  if (reduction == "none") return n.give(losses, p.sizes);
  Tensor total = n.eval("(x) sum(x, 1)", {losses});
  if (reduction == "mean") total = n.eval("(x, w) cdiv(x, sum(w, 1))", {total, weights});
  n.give(total, true);
}

void negative_log_likelihood_loss(NodeRun& n) { give_losses(n, problem_of(n, n.tensor(0, 2))); }

void softmax_cross_entropy_loss(NodeRun& n) {
  const Tensor logs = n.eval("(x) logsoftmax(x, 2)", {n.tensor(0, 2)});
  give_losses(n, problem_of(n, logs));
  n.give(logs, false, 1);
}

constexpr NodeKind kinds[] = {
    {"NegativeLogLikelihoodLoss", negative_log_likelihood_loss},
    {"SoftmaxCrossEntropyLoss", softmax_cross_entropy_loss},
};

}  // namespace

std::span<const NodeKind> loss_kinds() { return built_kinds<kinds>(); }

}  // namespace mt::onnx
