// ONNX models of the C++ front end.
#include <doctest/doctest.h>

#include "moontorch/moontorch.hpp"
#include "spec/engine/onnx_bytes.h"

using moontorch::Graph;
using moontorch::Onnx;
using moontorch::Prepared;
using moontorch::Tensor;

TEST_CASE("ONNX models of the C++ front end run with inputs by name, as graphs and prepared") {
  const std::int64_t sizes[] = {-1};
  bytes graph = {};
  add_node(&graph, "Sub", "a b", "y", nullptr);
  add_value(&graph, 11, "a", 1, 1, sizes);
  add_value(&graph, 11, "b", 1, 1, sizes);
  add_value(&graph, 12, "y", 1, 1, sizes);
  bytes written = model_of(&graph), entry = {};
  add_text(&entry, 1, "unit");
  add_text(&entry, 2, "m");
  add_message(&written, 14, &entry);
  const Tensor a = Tensor::of<float>({5, 7}), b = Tensor::of<float>({1, 2});
  Graph difference;
  Prepared prepared;
  {
    const Onnx model = Onnx::read(written.data, written.count);
    CHECK(model.required() == 2);
    CHECK(model.metadata("unit") == "m");
    CHECK_FALSE(model.metadata("units").has_value());
    CHECK(model.inputs().at(1).name == "b");
    CHECK(model.outputs().at(0).sizes == std::vector<std::int64_t>{-1});
    CHECK(model.outputs().at(0).dtype == MT_FLOAT32);
    CHECK(model.run({{"b", b}, {"a", a}}).at(0).read<float>() == std::vector<float>{4, 5});
    CHECK_THROWS_WITH_AS(model.run({{"a", a}}), "mt_onnx_run: b: nothing, expected torch.FloatTensor [any]", moontorch::Error);
    difference = model.graph({{"a", a}, {"b", b}});
    prepared = model.prepare({{"b", b}}, {{"a", a}});
  }
  CHECK(difference.run({b, a}).at(0).read<float>() == std::vector<float>{-4, -5});
  prepared.run(a);
  CHECK(prepared.output().read<float>() == std::vector<float>{0, 0});
  CHECK_THROWS_AS(Onnx::load("/no/such.onnx"), moontorch::Error);
}
