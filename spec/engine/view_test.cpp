// Views, copies and creation, called the way a host without Lua does.
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "engine/core/registry.h"
#include "spec/engine/values.h"

using namespace mt;

namespace {

// Runs op with the given leading arguments.
Tensor run(const char* name, std::vector<Value> args, Tensor* result = nullptr) {
  const Op* op = Registry::instance().find(name);
  REQUIRE(op != nullptr);
  args.resize(static_cast<size_t>(op->decl->signature.count));
  Tensor fresh;
  Tensor* const results[] = {result != nullptr ? result : &fresh};
  Call call{*op, args, results, result != nullptr ? 1u : 0u};
  run_op(call);
  return *results[0];
}

Tensor counted(std::initializer_list<int64_t> sizes) {  // 0, 1, 2, ... in row-major order
  const Tensor t = Tensor::empty(DType::float64, sizes);
  for (int64_t i = 0; i < t.numel(); ++i) t.data<double>()[i] = static_cast<double>(i);
  return t;
}

std::vector<double> elements(const Tensor& t) {
  const Tensor dense = contiguous(t);
  return {dense.data<double>(), dense.data<double>() + dense.numel()};
}

}  // namespace

TEST_CASE("views share the storage and have the sizes asked for") {
  Tensor x = counted({2, 3});
  const Tensor second = run("select", {Value(x), Value(1.0), Value(1.0)});
  CHECK(second.storage() == x.storage());
  CHECK(elements(second) == std::vector<double>{1, 4});
  CHECK(elements(run("narrow", {Value(x), Value(1.0), Value(1.0), Value(2.0)})) == std::vector<double>{1, 2, 4, 5});
  CHECK(elements(run("t", {Value(x)})) == std::vector<double>{0, 3, 1, 4, 2, 5});
  const std::vector<int64_t> sizes{3, -1};
  CHECK(std::ranges::equal(run("view", {Value(x), sizes_value(sizes)}).sizes(), Shape{3, 2}.operator Sizes()));
  CHECK(elements(run("unfold", {Value(x), Value(-1.0), Value(2.0), Value(1.0)})) == std::vector<double>{0, 1, 1, 2, 3, 4, 4, 5});
}

TEST_CASE("what leaves the tensor is refused in the caller's counting") {
  Tensor x = counted({2, 3});
  CHECK_THROWS_WITH(run("narrow", {Value(x), Value(0.0), Value(1.0), Value(5.0)}),
                    "narrow: length: 5 slices from 2 are out of range, dimension 1 of [2, 3]");
  CHECK_THROWS_WITH(run("narrow", {Value(x), Value(2.0), Value(0.0), Value(1.0)}), "narrow: dim: dimension 3 out of range 1..2");
  const std::vector<int64_t> huge{int64_t{1} << 40}, strides{int64_t{1} << 40};
  CHECK_THROWS_AS(run("as_strided", {Value(x), sizes_value(huge), sizes_value(strides), Value(0.0)}), Error);
}

TEST_CASE("cat joins, stacks and skips tensors without dimension") {
  Tensor a = counted({2, 1}), b = counted({2, 2}), none(DType::float64);
  CHECK(elements(run("cat", {Value(), Value(a), Value(b), Value(-1.0)})) == std::vector<double>{0, 0, 1, 1, 2, 3});
  Tensor* parts[] = {&none, &a, &a};
  Value list;
  list.type = Value::Type::tensors;
  list.tensors = parts;
  list.count = 3;
  const Tensor stacked = run("cat", {list, Value(), Value(), Value(2.0)});
  CHECK(stacked.dim() == 3);
  CHECK(elements(stacked) == std::vector<double>{0, 0, 1, 1});
}

TEST_CASE("copy takes a source that shares memory") {
  Tensor x = counted({5});
  Tensor head = run("narrow", {Value(x), Value(0.0), Value(0.0), Value(4.0)}),
         tail = run("narrow", {Value(x), Value(0.0), Value(1.0), Value(4.0)});
  run("copy", {Value(tail), Value(head)}, &tail);
  CHECK(elements(x) == std::vector<double>{0, 0, 1, 2, 3});
}

TEST_CASE("repeatTensor tiles, also along new dimensions") {
  Tensor x = counted({2});
  const std::vector<int64_t> counts{2, 2};
  CHECK(elements(run("repeatTensor", {Value(x), sizes_value(counts)})) == std::vector<double>{0, 1, 0, 1, 0, 1, 0, 1});
}

TEST_CASE("range ends at its last value and integers are exact") {
  CHECK(elements(run("range", {Value(1.0), Value(2.0), Value(0.25)})) == std::vector<double>{1, 1.25, 1.5, 1.75, 2});
  CHECK(elements(run("linspace", {Value(0.0), Value(1.0), Value(3.0)})) == std::vector<double>{0, 0.5, 1});
  CHECK_THROWS_AS(run("range", {Value(1.0), Value(2.0), Value(-1.0)}), Error);
}
