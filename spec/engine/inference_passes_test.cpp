// The passes for prepared runs: the text of a graph before and after each of them.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "engine/graph/executor.h"
#include "engine/graph/infer.h"
#include "engine/graph/text.h"
#include "engine/passes/passes.h"

using namespace mt;

namespace {

Tensor filled(Sizes sizes, double first, double step) {
  Tensor t = Tensor::empty(DType::float64, sizes);
  for (int64_t i = 0; i < t.numel(); ++i) t.data<double>()[i] = first + step * static_cast<double>(i);
  return t;
}

Tensor constant(std::string_view name) {
  if (name == "w") return filled(Shape{2, 3, 1, 1}, 1, 0.5);
  if (name == "b" || name == "gamma") return filled(Shape{2}, 0.5, 1);
  if (name == "beta" || name == "mean") return filled(Shape{2}, -1, 0.25);
  if (name == "variance") return filled(Shape{2}, 1.5, 2);
  return filled(Shape{2, 2}, 1, 1);
}

Graph parsed(const char* text) {
  Graph graph = parse_graph(text, {.constant = constant});
  graph.result_types = infer_types(graph);
  return graph;
}

// The text without types and line ends.
std::string shown(Graph graph) {
  graph.result_types.clear();
  std::string text = to_text(graph), result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\n')
      result += text[i];
    else if (i + 1 < text.size())
      result += ' ';
  }
  for (size_t at = 0; (at = result.find("  ", at)) != std::string::npos;) result.erase(at, 1);
  return result;
}

Tensor run(const Graph& graph, Tensor x) {
  const Executor executor(graph);
  std::vector<Value> values{Value(x)};
  GraphResults results(executor);
  executor.run({}, values, results.tensors());
  return contiguous(executor.output(0, values, results.tensors()));
}

// The ops of the steps that a value needs, in order.
std::string ops_of(const Graph& graph) {
  std::string names;
  for (const Graph::Step& step : remove_dead_steps(graph).steps) names += concat(names.empty() ? "" : " ", step.op->decl->name);
  return names;
}

void expect_same_results(const Graph& before, const Graph& after, const Tensor& x) {
  const Tensor a = run(before, x), b = run(after, x);
  REQUIRE(a.same_sizes(b));
  for (int64_t i = 0; i < a.numel(); ++i) CHECK(b.data<double>()[i] == doctest::Approx(a.data<double>()[i]).epsilon(1e-13));
}

}  // namespace

TEST_CASE("steps that depend on constants alone become constants, unless the graph writes to these") {
  const Graph graph = parsed("graph(x: float64[2, 2]) { constant m: float64[2, 2] return mm(x, t(add(m, 1))) }");
  const Graph folded = fold_constants(graph);
  CHECK(shown(folded) == "graph(x: float64[2, 2]) { constant c3: float64[2, 2] %1 = mm(x, c3) return %1 }");
  expect_same_results(graph, folded, filled(Shape{2, 2}, 0.5, 1));
  const char* const written = R"(graph(x: float64[2, 2]) {
    constant m: float64[2, 2]
    y = add(m, 1)
    z = add(x, y)
    update m = z
    return z
  })";
  CHECK(shown(fold_constants(parsed(written))) == shown(parsed(written)));
}

TEST_CASE("the factors of a batch normalisation become part of the convolution") {
  const Graph graph = parsed(R"(graph(x: float64[2, 3, 4, 4]) {
    constant w: float64[2, 3, 1, 1]
    constant gamma: float64[2]
    constant beta: float64[2]
    constant mean: float64[2]
    constant variance: float64[2]
    y, m, s = batchNorm(conv2d(x, w), gamma, beta, mean, variance, false)
    return y
  })");
  const Graph folded = fold_affine_steps(graph);
  CHECK(shown(folded) ==
        "graph(x: float64[2, 3, 4, 4]) { constant c6: float64[2, 3, 1, 1] constant c7: float64[2] %1 = conv2d(x, c6, c7) return %1 }");
  for (int c = 0; c < 2; ++c) {  // the closed form
    const double factor = (0.5 + c) / std::sqrt(1.5 + 2 * c + 1e-5);
    CHECK(folded.constants[0].tensor.data<double>()[3 * c] == doctest::Approx((1 + 1.5 * c) * factor).epsilon(1e-14));
    CHECK(folded.constants[1].tensor.data<double>()[c] == doctest::Approx((-1 + 0.25 * c) * (1 - factor)).epsilon(1e-14));
  }
  expect_same_results(graph, folded, filled(Shape{2, 3, 4, 4}, -1, 0.03));
}

TEST_CASE("batch normalisations in training, and of values with other uses, stay") {
  for (const char* const text :
       {"graph(x: float64[2, 3, 4, 4]) { constant w: float64[2, 3, 1, 1] constant mean: float64[2] constant variance: float64[2] "
        "y = conv2d(x, w) return batchNorm(y, none, none, mean, variance, false)[1], y }",
        "graph(x: float64[2, 3, 4, 4]) { constant w: float64[2, 3, 1, 1] return batchNorm(conv2d(x, w), none, none, none, none, true)[1] }",
        "graph(x: float64[2, 3, 4, 4], v: float64[2]) { constant w: float64[2, 3, 1, 1] "
        "return batchNorm(conv2d(x, w), none, none, v, v, false)[1] }"})
    CHECK(shown(fold_affine_steps(parsed(text))) == shown(parsed(text)));
}

namespace {

// Folds the constants and then the affine steps of a graph that returns `value`. k has the sizes [2, 1, 1], z is [2, 2, 4, 4].
struct Affine {
  Graph before, after;

  explicit Affine(std::string_view value, std::string_view more = "") {
    const std::string text = concat(
        "graph(x: float64[2, 3, 4, 4]) { constant w: float64[2, 3, 1, 1] constant b: float64[2] constant gamma: float64[2] constant beta: "
        "float64[2] constant mean: float64[2] constant variance: float64[2] k = view(b, {2, 1, 1}) z = narrow(x, 2, 2, 2) ",
        more, " return ", value, " }");
    CAPTURE(text);
    before = parsed(text.c_str());
    Graph constant = fold_constants(before);
    constant.result_types = infer_types(constant);
    after = fold_affine_steps(constant);
  }
};

}  // namespace

TEST_CASE("products and sums by channel become part of the convolution or the batch normalisation before them") {
  const std::pair<const char*, const char*> cases[] = {
      {"cmul(conv2d(x, w), k)", "conv2d"},
      {"add(k, conv2d(x, w, b))", "conv2d"},
      {"csub(conv2d(x, w), k)", "conv2d"},
      {"csub(k, conv2d(x, w, b, 1, 1, 1, 1))", "conv2d"},
      {"cdiv(conv2d(x, w, b), k)", "conv2d"},
      {"div(mul(add(conv2d(x, w), 3), 2), 4)", "conv2d"},
      {"add(cmul(batchNorm(conv2d(x, w, b), gamma, beta, mean, variance, false)[1], k), expand(view(mean, {1, 2, 1, 1}), {2, 2, 4, 4}))",
       "conv2d"},
      {"add(cmul(batchNorm(z, gamma, none, mean, variance, false)[1], k), k)", "narrow batchNorm"},
      {"mul(batchNorm(z, none, beta, none, none, true)[1], 3)", "narrow batchNorm"},
  };
  for (const auto& [value, ops] : cases) {
    const Affine graph(value);
    CAPTURE(value);
    CHECK(ops_of(graph.after) == ops);
    expect_same_results(graph.before, graph.after, filled(Shape{2, 3, 4, 4}, -1, 0.03));
  }
}

TEST_CASE("products and sums that differ within a channel, change the type or have other readers stay") {
  const std::pair<const char*, const char*> cases[] = {
      {"cmul(conv2d(x, w), view(b, {2, 1, 1, 1}))", "conv2d cmul"},                       // by image
      {"add(conv2d(x, w), view(conv2d(x, w), {2, 2, 4, 4}))", "conv2d conv2d view add"},  // no constant
      {"add(conv2d(x, w), expand(k, {3, 2, 2, 4, 4}))", "conv2d add"},                    // a larger result
      {"add(conv2d(x, w), 2, k)", "conv2d add"},                                          // alpha
      {"cdiv(k, conv2d(x, w))", "conv2d cdiv"},
      {"mul(conv2d(x, w), inf)", "conv2d mul"},
      {"div(conv2d(x, w), 0)", "conv2d div"},
      {"mul(mul(conv2d(x, w), 1e200), 1e200)", "conv2d mul"},  // the second factor is too large
      {"mul(relu(conv2d(x, w)), 2)", "conv2d relu mul"},
      {"add(conv2d(select(x, 1, 1), w), k)", "select conv2d add"},  // channels in dimension 1
      {"batchNorm(conv2d(select(x, 1, 1), w, none, 2, 2), none, none, mean, variance, false)[1]", "select conv2d batchNorm"},
      {"mul(batchNorm(z, select(select(select(z, 1, 1), 2, 1), 2, 1), beta, none, none, true)[1], 3)",
       "narrow select select select batchNorm mul"},
  };
  for (const auto& [value, ops] : cases) {
    CAPTURE(value);
    CHECK(ops_of(Affine(value).after) == ops);
  }
  CHECK(ops_of(Affine("add(mul(y, 2), y)", "y = conv2d(x, w)").after) == "conv2d mul add");
  CHECK(ops_of(Affine("mul(conv2d(x, w), 2)", "update w = mul(w, 3)").after) == "mul conv2d mul");
  CHECK(ops_of(Affine("cmul(conv2d(x, w), k)", "update b = mul(b, 3)").after) == "view mul conv2d cmul");
}

TEST_CASE("a convolution, a sum and relu become one step") {
  const std::pair<const char*, std::string> cases[] = {
      {"relu(conv2d(x, w, b, 1, 1, 1, 1))", "%1 = conv2d_unit(x, w, b, none, true, 1, 1, 1, 1)"},
      {"relu(add(conv2d(x, w, b), z))", "%1 = conv2d_unit(x, w, b, z, true)"},
      {"relu(add(z, conv2d(x, w)))", "%1 = conv2d_unit(x, w, none, z, true)"},
      {"add(conv2d(x, w), z)", "%1 = conv2d_unit(x, w, none, z)"},
      {"add(conv2d(x, w), v)", "%1 = conv2d(x, w) %2 = add(%1, v)"},  // broadcast
      {"add(conv2d(x, w), 2, z)", "%1 = conv2d(x, w) %2 = add(x = %1"},
      {"cmax(conv2d(x, w), 0)", "%1 = conv2d_unit(x, w, none, none, true)"},
      {"cmax(conv2d(x, w), 1)", "%1 = conv2d(x, w) %2 = cmax(%1, 1)"},
      {"clamp(conv2d(x, w, b), 0, 6)", "%1 = conv2d_unit(x, w, b, none, true, none, none, none, none, none, none, none, 6)"},
      {"clamp(add(conv2d(x, w), z), 0)", "%1 = conv2d_unit(x, w, none, z, true)"},
      {"clamp(conv2d(x, w), -1, 6)", "%1 = conv2d(x, w) %2 = clamp(%1, -1, 6)"},
      {"clamp(conv2d(x, w), 0, -1)", "%1 = conv2d(x, w) %2 = clamp(%1, 0, -1)"},
      {"cmax(conv2d(x, w), z)", "%1 = conv2d(x, w) %2 = cmax(%1, z)"},
  };
  for (const auto& [before, after] : cases) {
    const std::string text = concat(
        "graph(x: float64[2, 3, 4, 4], z: float64[2, 2, 4, 4], v: float64[2, 1, 4, 4]) { constant w: float64[2, 3, 1, 1] constant b: "
        "float64[2] return ",
        before, " }");
    CAPTURE(text);
    const std::string result = shown(fuse_conv_units(parsed(text.c_str())));
    CHECK(result.substr(result.find("%1"), after.size()) == after);
  }
  const Graph graph = parsed(R"(graph(x: float64[1, 3, 4, 4]) {
    constant w: float64[2, 3, 1, 1]
    y = conv2d(x, w)
    return relu(add(y, clamp(conv2d(x, w), 0, 0.5)))
  })");
  expect_same_results(graph, fuse_conv_units(graph), filled(Shape{1, 3, 4, 4}, -3, 0.1));
}

TEST_CASE("constants that kernels would copy in each run are copied once") {
  const auto constants = [](const char* text) {
    std::string shown;
    for (const Graph::Constant& each : settle_constants(fold_constants(parsed(text))).constants)
      shown += concat(each.tensor.dtype(), " ", each.tensor.sizes(), each.tensor.is_contiguous() ? "" : " strided", "; ");
    return shown;
  };
  CHECK(constants("graph(x: float64[2, 3, 4, 4]) { constant w: float64[2, 3, 1, 1] constant b: float64[2] "
                  "return conv2d(x, transpose(expand(w, {2, 3, 1, 2}), 3, 4), expand(narrow(b, 1, 1, 1), {2})) }") ==
        "torch.DoubleTensor [2, 3, 2, 1]; torch.DoubleTensor [2]; ");
  CHECK(constants("graph(x: float32[2, 2, 4, 4]) { constant mean: float64[2] constant variance: float64[2] "
                  "return batchNorm(x, none, none, to(mean, 'float32'), to(variance, 'float32'), false)[1] }") ==
        "torch.DoubleTensor [2]; torch.DoubleTensor [2]; ");
  CHECK(constants("graph(x: float64[2, 2]) { constant m: float64[2, 2] return mm(x, t(m)) }") == "torch.DoubleTensor [2, 2] strided; ");
  CHECK(constants("graph(x: float64[2, 3, 4, 4]) { constant w: float64[2, 3, 1, 1] y = conv2d(x, w) update w = mul(w, 2) return y }") ==
        "torch.DoubleTensor [2, 3, 1, 1]; ");
}

TEST_CASE("products around a softmax become one step") {
  const std::pair<const char*, std::string> cases[] = {
      {"mm(softmax(div(mm(q, t(k)), 2)), v)", "%1, %2 = scaledDotProductAttention(q, k, v, none, none, 0.5) return %1"},
      {"mm(softmax(mm(q, k2), 2), v)", "%1 = transpose(k2, 1, 2) %2, %3 = scaledDotProductAttention(q, %1, v, none, none, 1) return %2"},
      {"mm(softmax(mul(add(mul(mm(q, t(k)), 4), later), 0.5)), v)", "%1, %2 = scaledDotProductAttention(q, k, v, none, true, 2) return %1"},
      {"mm(softmax(add(bias, mm(q, t(k)))), v)", "%1, %2 = scaledDotProductAttention(q, k, v, bias, none, 1) return %1"},
      {"mm(softmax(maskedFill(mm(q, t(k)), eq(bias, 0), -inf)), v)",
       "%1 = eq(bias, 0) %2 = full({64, 64}, 0, 'float64') %3 = where(%1, -inf, %2) "
       "%4, %5 = scaledDotProductAttention(q, k, v, %3, none, 1) return %4"},
      {"mm(view(softmax(add(view(mm(q, t(k)), {1, 64, 64}), bias)), {64, 64}), v)",
       "%1 = reshape(q, {1, 64, 3}) %2 = reshape(k, {1, 64, 3}) %3 = reshape(v, {1, 64, 2}) "
       "%4, %5 = scaledDotProductAttention(%1, %2, %3, bias, none, 1) %6 = reshape(%4, {64, 2}) return %6"},
  };
  const auto text_of = [](const char* value) {
    return concat("graph(q: float64[64, 3], k: float64[64, 3], k2: float64[3, 64], v: float64[64, 2], bias: float64[64, 64]) { ",
                  "constant later: float64[64, 64] return ", value, " }");
  };
  const auto constants = [](std::string_view) {
    const Tensor later = filled(Shape{64, 64}, 0, 0);
    for (int64_t i = 0; i < 64; ++i) std::fill_n(later.data<double>() + 65 * i + 1, 63 - i, -std::numeric_limits<double>::infinity());
    return later;
  };
  const auto fused = [&](const char* value) {
    Graph graph = parse_graph(text_of(value), {.constant = constants});
    graph.result_types = infer_types(graph);
    const std::string text = shown(fuse_attention(graph));
    return text.substr(text.find("%1"));
  };
  for (const auto& [before, after] : cases) CHECK(fused(before) == after + " }");
  CHECK(fused("mm(softmax(mm(q, t(k)), 1), v)").find("scaledDot") == std::string::npos);
  Graph writes = parse_graph(
      "graph(q: float64[64, 3], k: float64[64, 3], v: float64[64, 2], g: float64[64, 3]) { p = softmax(mm(q, t(k))) "
      "sgd_step({q}, {g}, {}, 0.1) writes q return mm(p, v) }");
  writes.result_types = infer_types(writes);
  CHECK(shown(fuse_attention(writes)).find("scaledDot") == std::string::npos);
}
