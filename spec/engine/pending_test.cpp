// A hook may accept calls and return pending results: sizes and dtypes at once, elements after it has run the ops.
#include "engine/core/pending.h"

#include <doctest/doctest.h>

#include <deque>

#include "engine/core/geometry.h"
#include "engine/core/meta.h"

using namespace mt;

namespace {

// Defers the calls of three ops.
class Postponing final : public OpHook {
 public:
  void run(Call& call) override {
    const std::string_view op = call.name();
    if (op != "exp" && op != "mm" && op != "sum") return plan_op(call);
    plan_pending(call);
    Postponed& postponed = calls_.emplace_back(Postponed{&call.op, {}, {call.args.begin(), call.args.end()}, *call.results[0]});
    for (Value& v : postponed.args) {
      if (v.is_tensor()) v.tensor = &postponed.tensors.emplace_back(*v.tensor);
    }
  }

  // Runs the deferred calls in order, into the storages of their results.
  void finish() {
    for (Postponed& p : calls_) {
      settle(*p.result.storage(), cpu_device);
      Tensor* results[] = {&p.result};
      Call call{*p.op, p.args, results, 1};
      run_op(call);
    }
    calls_.clear();
  }
  size_t waiting() const { return calls_.size(); }

 private:
  struct Postponed {
    const Op* op;
    std::deque<Tensor> tensors;
    std::vector<Value> args;
    Tensor result;
  };
  std::deque<Postponed> calls_;
};

Tensor run(std::string_view name, std::initializer_list<Value> given, OpHook* hook) {
  const Op& op = *Registry::instance().find(name);
  std::vector<Value> args(op.decl->signature.count);
  std::copy(given.begin(), given.end(), args.begin());
  Tensor made;
  Tensor* results[] = {&made};
  Call call{op, args, results};
  call.hook = hook;
  run_op(call);
  return made;
}

Value dimension(int64_t d) {
  Value v;
  v.type = Value::Type::integer;
  v.integer = d;
  return v;
}

}  // namespace

TEST_CASE("a hook answers with results whose elements follow") {
  Tensor x = Tensor::empty(DType::float64, {2, 3}), y = Tensor::empty(DType::float64, {3, 4});
  fill(x, ScalarValue::of(0.0));
  fill(y, ScalarValue::of(2.0));
  Postponing hook;
  Tensor e = run("exp", {Value(x)}, &hook);
  Tensor product = run("mm", {Value(e), Value(y)}, &hook);
  Tensor sum = run("sum", {Value(product), dimension(1)}, &hook);
  CHECK(hook.waiting() == 3);
  CHECK(std::ranges::equal(product.sizes(), Sizes(Shape{2, 4})));
  CHECK(std::ranges::equal(sum.sizes(), Sizes(Shape{2, 1})));
  CHECK(sum.dtype() == DType::float64);
  CHECK(sum.device() == meta_device);
  CHECK_THROWS_AS(read_element(sum, sum.offset()), const Error&);
  CHECK_THROWS_AS(run("mm", {Value(e), Value(product)}, &hook), const Error&);  // sizes are checked at once
  const Tensor row = run("t", {Value(product)}, &hook);                         // a view of a pending result
  hook.finish();
  CHECK(sum.device() == cpu_device);
  CHECK(row.device() == cpu_device);
  CHECK(product.data<double>()[7] == 6);
  CHECK(row.data<double>()[0] == 6);
  CHECK(sum.data<double>()[0] == 24);
  CHECK(sum.data<double>()[1] == 24);
  sum.resize("spec", Shape{5, 5});  // like any other storage
  CHECK(sum.data<double>()[1] == 24);
}

TEST_CASE("results that are given can't be pending") {
  Tensor x = Tensor::empty(DType::float32, {2}), r = Tensor::empty(DType::float32, {2});
  Value args[] = {Value(x)};
  Tensor* results[] = {&r};
  Call call{*Registry::instance().find("exp"), args, results, 1};
  CHECK_THROWS_AS(plan_pending(call), const Error&);
}
