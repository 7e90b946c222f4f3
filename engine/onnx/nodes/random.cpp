// Random numbers, from the generator of the run: the seeds of nodes are not used.
#include "engine/onnx/node_kind.h"

namespace mt::onnx {
namespace {

DType dtype_of(const NodeRun& n, DType otherwise) { return dtype_of_elements(n.integer("dtype", 0)).value_or(otherwise); }

std::vector<int64_t> like(const NodeRun& n) { return {n.tensor(0).sizes().begin(), n.tensor(0).sizes().end()}; }

void draw(NodeRun& n, std::string_view formula, const std::vector<int64_t>& sizes, DType dtype, double a, double b, bool is_scalar) {
  n.give(n.eval(formula, {sizes, dtype, a, b}), is_scalar);
}

constexpr std::string_view normal = "(sizes, dtype, mean, scale) add(mul(randn(sizes = sizes, dtype = dtype), scale), mean)";
constexpr std::string_view uniform = "(sizes, dtype, low, span) add(mul(rand(sizes = sizes, dtype = dtype), span), low)";

void random_normal(NodeRun& n) {
  draw(n, normal, n.integers("shape").value_or(std::vector<int64_t>{1}), dtype_of(n, DType::float32), n.number("mean", 0),
       n.number("scale", 1), false);
}
void random_normal_like(NodeRun& n) {
  draw(n, normal, like(n), dtype_of(n, n.dtype(0)), n.number("mean", 0), n.number("scale", 1), n.in(0).is_scalar);
}
void random_uniform(NodeRun& n) {
  const double low = n.number("low", 0), high = n.number("high", 1);
  draw(n, uniform, n.integers("shape").value_or(std::vector<int64_t>{1}), dtype_of(n, DType::float32), low, high - low, false);
}
void random_uniform_like(NodeRun& n) {
  const double low = n.number("low", 0), high = n.number("high", 1);
  draw(n, uniform, like(n), dtype_of(n, n.dtype(0)), low, high - low, n.in(0).is_scalar);
}

void bernoulli(NodeRun& n) {
  const Tensor drawn = n.eval("(p) lt(rand(sizes = size(p), dtype = 'float64'), to(p, 'float64'))", {n.tensor(0)});
  n.give(n.converted(drawn, dtype_of(n, n.dtype(0))), n.in(0).is_scalar);
}

// Classes from logits that are not normalised.
void multinomial(NodeRun& n) {
  const int64_t count = n.integer("sample_size", 1);
  const Tensor drawn = n.eval("(x, count) add(multinomial(softmax(x, 2), count, true), -1)", {n.tensor(0), Operand(count)});
  n.give(n.converted(drawn, dtype_of(n, DType::int32)));
}

constexpr auto nothing = NodeKind::Knows::nothing;

constexpr NodeKind kinds[] = {
    {"Bernoulli", bernoulli, {}, {}, nothing},          {"Multinomial", multinomial, {}, {}, nothing},
    {"RandomNormal", random_normal, {}, {}, nothing},   {"RandomNormalLike", random_normal_like, {}, {}, nothing},
    {"RandomUniform", random_uniform, {}, {}, nothing}, {"RandomUniformLike", random_uniform_like, {}, {}, nothing},
};

}  // namespace

std::span<const NodeKind> random_kinds() { return built_kinds<kinds>(); }

}  // namespace mt::onnx
