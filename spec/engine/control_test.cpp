// Control flow of graphs: types without elements, the check of hosts' graphs, hooks, interrupts, and bodies of captures.
#include "engine/graph/control.h"

#include <doctest/doctest.h>

#include "engine/core/interrupt.h"
#include "engine/graph/bodies.h"
#include "engine/graph/infer.h"
#include "engine/graph/text.h"
#include "engine/graph/verify.h"

using namespace mt;

namespace {

constexpr auto halving = R"(graph(x: float32[4], k: int64[1]) {
  y, n = while({x, k}) {
    condition(a: float32[4], i: int64[1]) { return gt(i, 0) }
    body(a: float32[4], i: int64[1]) { return mul(a, 0.5), add(i, -1) }
  }
  return y
})";

constexpr auto sums = R"(graph(x: float32[7, 3], p: uint8[1]) {
  last, stack = scan({full({3}, 0, 'float32')}, {x}) {
    body(s: float32[3], v: float32[3]) { return add(s, v), gt(v, s) }
  }
  z = cond(p, {last}) {
    then(a: float32[3]) { return view(a, {3, 1}) }
    else(a: float32[3]) { return expand(view(sum(a, 1), {1, 1}), {3, 1}) }
  }
  return last, stack, z
})";

struct Seen final : OpHook {
  std::vector<std::string> ops;
  void run(Call& call) override {
    ops.emplace_back(call.name());
    plan_op(call);
  }
};

Tensor filled(DType dtype, std::initializer_list<int64_t> sizes, double value) {
  Tensor t = Tensor::empty(dtype, sizes);
  fill(t, element_as(Value(value), dtype));
  return t;
}

}  // namespace

TEST_CASE("types of results are known without elements") {
  const Graph graph = parse_graph(sums);
  const auto types = infer_types(graph);
  const auto type_of = [&](size_t output) { return types[static_cast<size_t>(graph.outputs[output].index)]; };
  CHECK(type_of(0) == ValueType{DType::float32, {3}});
  CHECK(type_of(1)->sizes == std::vector<int64_t>{7, 3});
  CHECK(type_of(2) == ValueType{DType::float32, {3, 1}});
  const auto loop = infer_types(parse_graph(halving));
  CHECK(loop[0] == ValueType{DType::float32, {4}});
  CHECK(loop[1] == ValueType{DType::int64, {1}});
  const Graph unequal = parse_graph(R"(graph(x: float64[2], p: uint8[1]) {
    y = cond(p, {x}) { then(a) { return a } else(a) { return cat({a, a}, 1) } } return y })");
  CHECK(!infer_types(unequal)[0]);  // the branches differ
}

TEST_CASE("steps of hosts are checked with their bodies") {
  const auto refused = [](auto change) {
    Graph graph = parse_graph(halving);
    change(graph);
    CHECK_THROWS_AS(verify(graph), Error);
  };
  verify(parse_graph(halving));
  const auto changed_body = [](Graph& graph, size_t b, auto change) {
    Graph body = *graph.steps.back().bodies[b];
    change(body);
    graph.steps.back().bodies[b] = std::make_shared<const Graph>(std::move(body));
  };
  refused([](Graph& graph) { graph.steps.back().bodies.pop_back(); });
  refused([](Graph& graph) { graph.steps.back().op = Registry::instance().find("add"); });
  refused([](Graph& graph) { graph.steps.back().times = true; });
  refused([](Graph& graph) { graph.steps.back().fusion = 1; });
  refused([](Graph& graph) { graph.steps.back().writes = {{Graph::Ref::Of::input, 0}}; });
  refused([&](Graph& graph) { changed_body(graph, 1, [](Graph& body) { body.outputs.pop_back(); }); });
  refused([&](Graph& graph) { changed_body(graph, 1, [](Graph& body) { body.outputs[0].index = 9; }); });
  refused([&](Graph& graph) { changed_body(graph, 1, [](Graph& body) { body.inputs[0].optional = true; }); });
  refused([&](Graph& graph) { changed_body(graph, 1, [](Graph& body) { body.inputs[0].type->dtype = DType::float64; }); });
  refused([&](Graph& graph) {
    changed_body(graph, 1, [](Graph& body) { body.constants.push_back({"c", Tensor::empty(DType::int64, {1})}); });
  });
  refused([&](Graph& graph) {
    changed_body(graph, 1, [](Graph& body) { body.updates.push_back({{Graph::Ref::Of::input, 0}, {Graph::Ref::Of::result, 0}}); });
  });
}

TEST_CASE("a hook sees the ops of the bodies that run") {
  const Executor executor(parse_graph(halving));
  Tensor x = filled(DType::float32, {4}, 8), k = filled(DType::int64, {1}, 2);
  const Value inputs[] = {Value(x), Value(k)};
  Seen seen;
  GraphResults results(executor);
  executor.run({.hook = &seen}, inputs, results.tensors());
  CHECK(seen.ops == std::vector<std::string>{"gt", "mul", "add", "gt", "mul", "add", "gt"});
  CHECK(executor.output(0, inputs, results.tensors()).data<float>()[3] == 2);
}

TEST_CASE("an endless loop can be interrupted") {
  const Executor executor(
      parse_graph("graph(x: float64[1]) { y = while({x}) { condition(a) { return a } body(a) { return a } } return y }"));
  Tensor x = filled(DType::float64, {1}, 1);
  const Value inputs[] = {Value(x)};
  GraphResults results(executor);
  ask_interrupt(1);
  CHECK_THROWS_AS(executor.run({}, inputs, results.tensors()), Interrupted);
  interrupt_reported();
}

TEST_CASE("bodies of captures are closed: what they write becomes a part of the state") {
  const Tensor read = filled(DType::float64, {2}, 1), written = filled(DType::float64, {2}, 2);
  const auto constant = [&](std::string_view name) { return name == "read" ? read : written; };
  const Graph captured = parse_graph(R"(graph(s: float64[2], v: float64[2]) {
    constant total: float64[2]
    constant read: float64[2]
    a = add(s, cmul(v, read))
    b = add(total, a)
    update total = b
    return a, b
  })",
                                     {.constant = constant});
  const Graph bodies[] = {captured};
  const auto never = [](const Tensor&) { return false; };
  const ClosedBodies closed = close_bodies(*find_control_op("scan"), bodies, 1, never);
  REQUIRE(closed.carried.size() == 1);
  REQUIRE(closed.invariants.size() == 1);
  CHECK(closed.carried[0].storage() == written.storage());
  CHECK(closed.invariants[0].storage() == read.storage());
  const Graph& body = *closed.bodies[0];
  verify(body);
  CHECK(body.constants.empty());
  CHECK(body.inputs.size() == 4);   // the state, what is written, the slice, and what is read
  CHECK(body.outputs.size() == 3);  // the state, what is written, and the output
  CHECK(body.outputs[1] == body.outputs[2]);
  const auto message = [&](std::string_view op, std::span<const Graph> graphs) {
    try {
      close_bodies(*find_control_op(op), graphs, 2, never);
      return std::string();
    } catch (const Error& e) {
      return std::string(e.what());
    }
  };
  const Graph loop[] = {captured, captured};
  CHECK(message("while", loop) == "while: a condition that writes to a tensor of the program, expected writes of the body alone");
}
