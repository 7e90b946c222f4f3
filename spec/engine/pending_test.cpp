// A hook may accept calls and return pending results: sizes and dtypes at once, elements after it has run the ops.
#include "engine/core/pending.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <span>
#include <vector>

#include "engine/core/device.h"
#include "engine/core/geometry.h"
#include "engine/core/meta.h"

using namespace mt;

namespace {

// Defers the calls of some ops.
class Postponing final : public OpHook {
 public:
  void run(Call& call) override {
    const std::string_view op = call.name();
    if (op != "exp" && op != "mm" && op != "sum" && op != "cat" && op != "eq") return plan_op(call);
    plan_pending(call);
    Postponed& postponed = calls_.emplace_back(Postponed{&call.op, {}, {}, {call.args.begin(), call.args.end()}, *call.results[0]});
    for (Value& v : postponed.args) {
      if (v.is_tensor()) v.tensor = &postponed.tensors.emplace_back(*v.tensor);
      if (v.type != Value::Type::tensors) continue;
      auto& list = postponed.lists.emplace_back();
      for (int i = 0; i < v.count; ++i) list.push_back(&postponed.tensors.emplace_back(*v.tensors[i]));
      v.tensors = list.data();
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
    std::deque<std::vector<Tensor*>> lists;
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

TEST_CASE("lists of tensors may contain pending results") {
  Tensor x = Tensor::empty(DType::float64, {2}), y = Tensor::empty(DType::float64, {3});
  fill(x, ScalarValue::of(0.0));
  fill(y, ScalarValue::of(5.0));
  Postponing hook;
  Tensor e = run("exp", {Value(x)}, &hook);
  Tensor* list[] = {&e, &y, &e};
  Value tensors;
  tensors.type = Value::Type::tensors;
  tensors.tensors = list;
  tensors.count = 3;
  const Tensor joined = run("cat", {tensors}, &hook);
  CHECK(hook.waiting() == 2);
  CHECK(tensors.tensors == list);
  CHECK(e.device() == meta_device);
  CHECK(y.device() == cpu_device);
  CHECK(joined.device() == meta_device);
  CHECK(std::ranges::equal(joined.sizes(), Sizes(Shape{7})));
  hook.finish();
  const double expected[] = {1, 1, 5, 5, 5, 1, 1};
  CHECK(std::ranges::equal(std::span(joined.data<double>(), 7), expected));
}

TEST_CASE("booleans that are settled are false") {
  constexpr int64_t count = 4096;
  {  // the allocator returns this memory again
    const Tensor garbage = Tensor::empty(DType::boolean, {count});
    std::memset(garbage.data<uint8_t>(), 1, count);
  }
  const auto storage = StoragePtr::adopt(Storage::create(DType::boolean, count, meta_device));
  settle(*storage.get(), cpu_device);
  const auto* const bytes = reinterpret_cast<const uint8_t*>(static_cast<std::byte*>(storage->data));
  CHECK(std::count(bytes, bytes + count, uint8_t{0}) == count);
}

TEST_CASE("results that are given can't be pending") {
  Tensor x = Tensor::empty(DType::float32, {2}), r = Tensor::empty(DType::float32, {2});
  Value args[] = {Value(x)};
  Tensor* results[] = {&r};
  Call call{*Registry::instance().find("exp"), args, results, 1};
  CHECK_THROWS_AS(plan_pending(call), const Error&);
}

TEST_CASE("a pending storage takes over the memory of another one") {
  const auto make_pending = [](int64_t size) {
    auto storage = StoragePtr::adopt(Storage::create(DType::float64, size, meta_device));
    storage->device = pending_device;
    return storage;
  };
  StoragePtr pending = make_pending(1000);
  Tensor x = Tensor::empty(DType::float64, {1000});
  fill(x, ScalarValue::of(3.0));
  StoragePtr memory = x.storage_ptr();
  std::byte* const data = memory->data;
  CHECK(!pending->settle_with(memory));  // x holds it, too
  x.clear();
  CHECK(!make_pending(999)->settle_with(memory));
  CHECK(pending->settle_with(memory));
  CHECK(!memory);
  CHECK(pending->device == cpu_device);
  CHECK(pending->data == data);
  CHECK(pending->elements<double>()[999] == 3);
  pending->resize(5000);  // to another block: the former one is released
  CHECK(pending->data != data);
  CHECK(pending->elements<double>()[999] == 3);
}

TEST_CASE("memory that is asked for where pending results are is the CPU's") {
  CHECK(Tensor::empty(DType::float32, {2}, pending_device).device() == cpu_device);
  Tensor pending(DType::float32, pending_device), x = Tensor::empty(DType::float32, {2}), r(DType::float32, pending_device);
  fill(x, ScalarValue::of(0.0F));
  Value args[] = {Value(x)};
  Tensor* results[] = {&r};
  Call call{*Registry::instance().find("exp"), args, results, 1};
  run_op(call);
  CHECK(r.device() == cpu_device);
  CHECK(r.data<float>()[1] == 1);
}

TEST_CASE("elements of a pending result that nobody computed are an error") {
  Tensor x = Tensor::empty(DType::float64, {2, 3}, meta_device);
  x.storage()->device = pending_device;
  Tensor y = Tensor::empty(DType::float64, {2, 3});
  CHECK_THROWS_AS(read_element(x, 0), const Error&);
  CHECK_THROWS_AS(copy(y, x), const Error&);
  CHECK_THROWS_AS(copy(x, y), const Error&);
  Tensor columns = x;
  columns.set_geometry(0, Shape{3, 2}, Shape{1, 3});
  CHECK_THROWS_AS(contiguous(columns), const Error&);
  CHECK_THROWS_AS(run("exp", {Value(x)}, nullptr), const Error&);
}
