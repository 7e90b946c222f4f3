// The thin C++ front end over the C interface.
#include <doctest/doctest.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "moontorch/moontorch.hpp"

using moontorch::call;
using moontorch::call_all;
using moontorch::call_into;
using moontorch::Graph;
using moontorch::GraphBuilder;
using moontorch::Prepared;
using moontorch::Ref;
using moontorch::Tensor;
using moontorch::Value;

TEST_CASE("the C++ front end computes, shares and raises") {
  const Tensor x = Tensor::of<double>({1, 2, 3});
  CHECK(call("add", {x, x, 2}).read<double>() == std::vector<double>{3, 6, 9});
  const Tensor same = x;
  call_into(same, "mul", {x, 10.0});
  CHECK(x.read<double>() == std::vector<double>{10, 20, 30});
  CHECK(call("narrow", {x, 0, 1, 2}).sizes() == std::vector<std::int64_t>{2});
  CHECK_THROWS_WITH_AS(call("narrow", {x, 0, 1, 3}), "narrow: length: 3 slices from 2 are out of range, dimension 1 of [3]",
                       moontorch::Error);
  CHECK_THROWS_WITH_AS(x.read<float>(), "Tensor::read: T: float32, expected float64", moontorch::Error);
}

TEST_CASE("elements without sign, which ops with arithmetic refuse") {
  const Tensor x = Tensor::of<std::uint16_t>({65535, 7});
  CHECK(x.dtype() == MT_UINT16);
  CHECK(x.read<std::uint16_t>() == std::vector<std::uint16_t>{65535, 7});
  CHECK(Tensor::of<std::uint32_t>({1}).dtype() == MT_UINT32);
  CHECK(Tensor::of<std::uint64_t>({UINT64_MAX}).read<std::uint64_t>()[0] == UINT64_MAX);
  CHECK(call("gt", {x, 7}).read<std::uint8_t>() == std::vector<std::uint8_t>{1, 0});
  CHECK(std::string(mt_dtype_name(MT_FLOAT8_E4M3FN)) == "float8_e4m3fn");
  CHECK(std::string(mt_dtype_name(MT_FLOAT8_E5M2)) == "float8_e5m2");
  CHECK_THROWS_WITH_AS(x.read<double>(), "Tensor::read: T: float64, expected uint16", moontorch::Error);
  CHECK_THROWS_WITH_AS(call("exp", {x}),
                       "exp: x: torch.UInt16Tensor, a type for storage, expected a tensor of numbers of a type with arithmetic: "
                       "x:to('int32') converts it",
                       moontorch::Error);
}

TEST_CASE("lists of dimensions and positions count from 0 in C++, and from the end") {
  const std::vector<std::int64_t> sizes = {4, 2, 3};
  const Tensor x(MT_FLOAT64, {2, 3, 4});
  CHECK(call("permute", {x, {2, 0, 1}}).sizes() == sizes);
  CHECK(call("permute", {x, {-1, 0, 1}}).sizes() == sizes);
  CHECK(call("permute", {x}, {{"dims", {2, -3, 1}}}).sizes() == sizes);
  const Tensor v = Tensor::of<double>({1, 2, 3});
  CHECK(call("flip", {v, {0}}).read<double>() == std::vector<double>{3, 2, 1});
  CHECK(call("flip", {v, {-1}}).read<double>() == std::vector<double>{3, 2, 1});
  CHECK(call("sub", {v, {0, 1}}).read<double>() == std::vector<double>{1, 2});
  CHECK(call("sub", {v, {1, -1}}).read<double>() == std::vector<double>{2, 3});
  CHECK_THROWS_WITH_AS(call("permute", {x, {1, 2, 3}}), "permute: dims: Invalid permutation: [2, 3, 4] for the 3 dimensions of [2, 3, 4]",
                       moontorch::Error);
  CHECK_THROWS_WITH_AS(call("flip", {v, {1}}), "flip: dims: dimension 2 out of range 1..1", moontorch::Error);
  CHECK_THROWS_WITH_AS(call("sub", {v, {0, 3}}), "sub: ranges: 1..4 is out of range, dimension 1 of [3]", moontorch::Error);
}

TEST_CASE("the C++ front end gives several results of an op") {
  const Tensor x = Tensor::of<double>({3, 1, 2});
  const std::vector<Tensor> sorted = call_all("sort", 2, {x});
  CHECK(sorted[0].read<double>() == std::vector<double>{1, 2, 3});
  CHECK(sorted[1].read<std::int64_t>() == std::vector<std::int64_t>{2, 3, 1});
  CHECK(call_all("sort", 1, {x}).size() == 1);
  CHECK_THROWS_WITH_AS(call_all("sort", 3, {x}), "sort: results: 3, expected 0..2", moontorch::Error);
}

TEST_CASE("the C++ front end takes lists and sizes in the orders that messages name") {
  const Tensor x = Tensor::of<double>({1, 2}), y = Tensor::of<double>({3});
  const std::vector<double> joined = {1, 2, 3};
  const std::vector<Tensor> list = {x, y};
  CHECK(call("cat", {list, 0}).read<double>() == joined);
  CHECK(call("cat", {{x, y}, 0}).read<double>() == joined);
  CHECK(call("cat", {{x, y}}).read<double>() == joined);
  CHECK(call("cat", {x, y, 0}).read<double>() == joined);
  CHECK(call("cat", {Value(), x, y, 0}).read<double>() == joined);  // in the signature's order
  const Value kept = Value(list);
  const Value copied = kept;
  CHECK(call("cat", {copied, 0}).read<double>() == joined);
  CHECK_THROWS_WITH_AS(call("cat", {std::vector<Tensor>{x, Tensor()}, 0}), "cat: tensors: NULL as element 2, expected a tensor",
                       moontorch::Error);

  const std::vector<std::int64_t> sizes = {2, 3};
  CHECK(call("randn", {sizes}).sizes() == sizes);
  CHECK(call("randn", {{2, 3}}).sizes() == sizes);
  CHECK(call("ones", {{2, 3}}).read<double>() == std::vector<double>(6, 1));
  CHECK(call("zeros", {sizes, mt_value_dtype(MT_INT32)}).dtype() == MT_INT32);
  CHECK(call("reshape", {Tensor::of<double>({1, 2, 3, 4, 5, 6}), {2, 3}}).sizes() == sizes);
  mt_generator* generator = nullptr;
  moontorch::check(mt_generator_create(5489, &generator));
  CHECK(call("rand", {generator, {1}}).read<double>()[0] == 3499211612.0 / 4294967296.0);  // MT19937's published first draw
  mt_generator_free(generator);
}

namespace {

const Graph& affine() {  // x w + b, and x
  static const Tensor w = call("reshape", {Tensor::of<float>({1, 2, 3, 4}), {2, 2}}), b = Tensor::of<float>({10, 20});
  static const Graph graph =
      Graph::parse("graph(x: float32[1, 2]) { constant w constant b: float32[2] return add(mm(x, w), b), x }", {{"w", w}, {"b", b}});
  return graph;
}

Tensor row(float first, float second) { return call("reshape", {Tensor::of<float>({first, second}), {1, 2}}); }

using Floats = std::vector<float>;

}  // namespace

TEST_CASE("graphs of the C++ front end run with inputs in order and by name") {
  const Tensor x = row(1, -1);
  const std::vector<Tensor> outputs = affine().run({x});
  REQUIRE(outputs.size() == 2);
  CHECK(outputs[0].read<float>() == Floats{8, 18});
  CHECK(outputs[1].data<float>() == x.data<float>());
  CHECK(affine().run_named({{"x", x}})[0].read<float>() == Floats{8, 18});
  CHECK_THROWS_WITH_AS(affine().run({}), "mt_graph_run: inputs: 0, expected 1", moontorch::Error);
  CHECK_THROWS_WITH_AS(affine().run({Tensor()}), "mt_graph_run: x: NULL, expected a tensor", moontorch::Error);
  CHECK_THROWS_WITH_AS(affine().run_named({{"y", x}}), "mt_graph_run_named: inputs: one called y, expected x", moontorch::Error);
  CHECK_THROWS_WITH_AS(Graph().run({x}), "mt_graph_run: graph: NULL, expected an address", moontorch::Error);
  CHECK_THROWS_WITH_AS(Graph().text(), "mt_graph_text: graph: NULL, expected an address", moontorch::Error);
  CHECK_THROWS_AS(Graph::parse("graph(x) { return frob(x) }"), moontorch::Error);
  CHECK_FALSE(Graph());
  CHECK(affine());
}

TEST_CASE("graphs of the C++ front end are text and files") {
  char path[] = "/tmp/moontorch-front-XXXXXX";
  const int file = mkstemp(path);
  REQUIRE(file >= 0);
  close(file);
  affine().save(path);
  Graph loaded = Graph::load(path);
  CHECK(loaded.text() == affine().text());
  CHECK(loaded.text().substr(0, 28) == "graph(x: float32[1, 2]) {\n  ");
  CHECK(loaded.text().back() == '\n');
  const Graph moved = std::move(loaded);
  CHECK(moved.run({row(0, 0)})[0].read<float>() == Floats{10, 20});
  std::remove(path);
  try {
    Graph::load(path);
    FAIL("a file that is gone was loaded");
  } catch (const moontorch::Error& e) {
    CHECK(e.status() == MT_ERR_FILE);
  }
}

TEST_CASE("prepared runs of the C++ front end have memory of their own, and clones for threads") {
  Prepared prepared = affine().prepare();
  const Tensor in = prepared.input(), out = prepared.output(0);
  CHECK(in.read<float>() == Floats{0, 0});
  const Tensor same = prepared.output(1);
  CHECK(same.data<float>() == in.data<float>());
  in.data<float>()[0] = 2;
  prepared.run();
  CHECK(out.read<float>() == Floats{12, 24});
  const Tensor x = row(1, 1);
  mt_fail_allocations_after(1);
  prepared.run(x);
  mt_fail_allocations_after(0);
  CHECK(out.read<float>() == Floats{14, 26});
  prepared.run(Value());
  CHECK(out.read<float>() == Floats{14, 26});

  const Prepared clone = prepared.clone();
  std::thread([&clone] { clone.run(row(0, 1)); }).join();
  CHECK(clone.output().read<float>() == Floats{13, 24});
  CHECK(out.read<float>() == Floats{14, 26});

  CHECK_THROWS_WITH_AS(prepared.run(x, x), "mt_prepared_run: inputs: 2, expected 1, or 0 for none", moontorch::Error);
  CHECK_THROWS_WITH_AS(prepared.run(1.0), "mt_prepared_run: x: a value of the kind 2, expected a tensor", moontorch::Error);
  CHECK_THROWS_WITH_AS(prepared.run(Tensor()), "mt_prepared_run: x: NULL, expected a tensor", moontorch::Error);
  CHECK_THROWS_WITH_AS(prepared.output(2), "mt_prepared_output: output: 2, expected less than 2", moontorch::Error);
  CHECK_THROWS_WITH_AS(prepared.input(-1), "mt_prepared_input: input: -1, expected less than 1", moontorch::Error);
  CHECK_THROWS_AS(affine().prepare({row(1, 2), row(1, 2)}), moontorch::Error);
  const Prepared moved = std::move(prepared);
  CHECK_THROWS_WITH_AS(prepared.run(), "mt_prepared_run: prepared: NULL, expected an address", moontorch::Error);
  moved.run(row(0, 0));
  CHECK(out.read<float>() == Floats{10, 20});
}

TEST_CASE("prepared runs of the C++ front end have the sizes of their samples") {
  const Graph graph = Graph::parse("graph(x, n: float64[1]) { return add(x, n) }");
  const Prepared prepared = graph.prepare({Tensor::of<double>({1, 2, 3}), Value()});
  prepared.run(Tensor::of<double>({4, 5, 6}), Tensor::of<double>({10}));
  CHECK(prepared.output().read<double>() == std::vector<double>{14, 15, 16});
  CHECK_THROWS_WITH_AS(graph.prepare(), "mt_graph_prepare: x: an input without a type, expected a tensor for it", moontorch::Error);
}

TEST_CASE("the C++ front end builds graphs") {
  GraphBuilder builder;
  const Ref x = builder.input("x", MT_FLOAT64, {-1, 2}), n = builder.input("n");
  const Ref total = builder.constant("total", Tensor::of<double>({0}));
  const Ref both = builder.step("cat", {{x, builder.step("mul", {x, 2.0})}, 0}, {}, "model.cpp:3");
  const std::vector<Ref> sorted = builder.steps("sort", 2, {both}, {{"dim", 0}});
  builder.output(sorted[0]);
  builder.output(builder.step("add", {n, builder.step("sum", {both})}));
  builder.update(total, n);
  const mt_graph* const handle = builder.get();
  const Graph graph = builder.finish();
  CHECK(graph.get() == handle);
  CHECK(builder.get() == nullptr);
  const Tensor one = Tensor::of<double>({7});
  const std::vector<Tensor> results = graph.run({call("view", {Tensor::of<double>({3, 1}), {1, 2}}), one});
  CHECK(results[0].read<double>() == std::vector<double>{3, 1, 6, 2});
  CHECK(results[1].read<double>() == std::vector<double>{19});
  CHECK(graph.text().find("-- model.cpp:3") != std::string::npos);
  CHECK(graph.text().find("update total = n") != std::string::npos);
  CHECK_THROWS_WITH_AS(builder.input("y"), "mt_graph_input: graph: NULL, expected an address", moontorch::Error);
}

TEST_CASE("the C++ front end builds control flow") {
  GraphBuilder below, doubled;
  const Ref a = below.input("a"), bound = below.input("bound");
  below.output(below.step("lt", {a, bound}));
  const Ref b = doubled.input("b");
  doubled.input("bound");
  doubled.output(doubled.step("add", {b, b}));
  GraphBuilder builder;
  const Ref x = builder.input("x"), most = builder.input("most");
  builder.output(builder.control("while", {{x}, {most}}, {below, doubled}, 1, "model.cpp:5")[0]);
  CHECK_THROWS_WITH_AS(builder.control("if", {{x}, {most}}, {below, doubled}, 1), "mt_graph_control: op: if, expected cond, while or scan",
                       moontorch::Error);
  const Graph graph = builder.finish(), sums = Graph::parse("graph(s: tensor, row: tensor) { return add(s, row) }");
  CHECK(graph.run({Tensor::of<double>({3}), Tensor::of<double>({20})})[0].read<double>() == std::vector<double>{24});
  CHECK(graph.text().find("-- model.cpp:5") != std::string::npos);

  GraphBuilder scan;  // a finished graph may be a body
  const Ref start = scan.input(), rows = scan.input();
  scan.output(scan.control("scan", {{start}, {rows}}, {sums}, 1)[0]);
  const Tensor numbers = call("view", {Tensor::of<double>({1, 2, 3, 4}), {2, 2}});
  CHECK(scan.finish().run({Tensor::of<double>({10, 20}), numbers})[0].read<double>() == std::vector<double>{14, 26});
}
