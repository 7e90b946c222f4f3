// A hook between callers and ops sees each call once, and decides whether to run it.
#include <doctest/doctest.h>

#include "engine/capi/call.h"
#include "engine/core/registry.h"
#include "engine/graph/capture.h"
#include "moontorch/moontorch.h"

using namespace mt;

namespace {

struct Seen final : OpHook {
  std::vector<std::string> ops;
  bool runs = true;

  void run(Call& call) override {
    ops.emplace_back(call.name());
    if (runs) plan_op(call);
  }
};

Tensor result_of(std::string_view op, std::vector<Value> args, OpHook* hook) {
  Tensor made;
  Tensor* results[] = {&made};
  Call call{*Registry::instance().find(op), args, results};
  call.hook = hook;
  run_op(call);
  return made;
}

}  // namespace

TEST_CASE("a hook sees each call, and not what an op is made of") {
  Seen seen;
  Tensor x = Tensor::empty(DType::float64, {2, 3}), y = Tensor::empty(DType::float64, {2, 3});
  fill(x, ScalarValue::of(2.0));
  fill(y, ScalarValue::of(3.0));
  const Tensor sum = result_of("add", {Value(x), Value(y), Value(2.0)}, &seen);
  CHECK(sum.data<double>()[5] == 8);
  std::vector<Value> args(Registry::instance().find("expandAs")->decl->signature.count);
  args[0] = Value(x);
  args[1] = Value(y);
  result_of("expandAs", args, &seen);  // implemented by another view
  CHECK(seen.ops == std::vector<std::string>{"add", "expandAs"});
}

TEST_CASE("what a hook does not run does not happen") {
  Seen seen;
  seen.runs = false;
  Tensor x = Tensor::empty(DType::float64, {2});
  CHECK(result_of("exp", {Value(x)}, &seen).storage() == nullptr);
  CHECK(seen.ops == std::vector<std::string>{"exp"});
}

TEST_CASE("a thread's hook sees the calls of the C interface") {
  Seen seen;
  mt_tensor *x = nullptr, *y = nullptr;
  const int64_t sizes[] = {2, 2};
  REQUIRE(mt_tensor_create(MT_FLOAT32, 2, sizes, &x) == MT_OK);
  const mt_value args[] = {mt_value_tensor(x), mt_value_number(1)};
  capi::thread_hook() = &seen;
  CHECK(mt_call("fill", args, 2, 1, &x) == MT_OK);
  CHECK(mt_infer("t", args, 1, 1, &y) == MT_OK);
  mt_tensor_release(y);
  CHECK(mt_tensor_narrow(x, 0, 0, 1, &y) == MT_OK);
  capi::thread_hook() = nullptr;
  mt_tensor_release(y);
  y = nullptr;
  CHECK(mt_call("t", args, 1, 1, &y) == MT_OK);
  CHECK(seen.ops == std::vector<std::string>{"fill", "t", "narrow"});
  mt_tensor_release(y);
  mt_tensor_release(x);
}

TEST_CASE("a capture refuses prepared runs of the C interface") {
  mt_graph* graph = nullptr;
  mt_prepared* prepared = nullptr;
  REQUIRE(mt_graph_parse("graph(x: float32[2]) { return exp(x) }", nullptr, 0, &graph) == MT_OK);
  REQUIRE(mt_graph_prepare(graph, nullptr, 0, &prepared) == MT_OK);
  Capture capture([] { return std::string(); });
  capi::thread_hook() = &capture;
  CHECK(mt_prepared_run(prepared, nullptr, 0) == MT_ERR_UNSUPPORTED);
  capi::thread_hook() = nullptr;
  CHECK(std::string(mt_error_message()) == "mt_prepared_run: run: a prepared run inside a capture, expected ops");
  CHECK(mt_prepared_run(prepared, nullptr, 0) == MT_OK);
  mt_prepared_free(prepared);
  mt_graph_free(graph);
}
