// Ops that add their result onto a sum. Expected: the sum plus the scale times the separately computed result.
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "engine/core/registry.h"
#include "spec/engine/values.h"

using namespace mt;

namespace {

Tensor numbers(std::initializer_list<int64_t> sizes, double first = 1) {
  const Tensor t = Tensor::empty(DType::float64, sizes);
  for (int64_t i = 0; i < t.numel(); ++i) t.data<double>()[i] = first + 0.25 * static_cast<double>(i * i % 7);
  return t;
}

Tensor positions(std::initializer_list<int64_t> sizes, std::vector<int64_t> values) {
  const Tensor t = Tensor::empty(DType::int64, sizes);
  for (int64_t i = 0; i < t.numel(); ++i) t.data<int64_t>()[i] = values[static_cast<size_t>(i)];
  return t;
}

std::set<std::string> seen;

// Compares an op's accumulation with its result. The op must be able to accumulate. `rows`: the first argument as the plain op accepts it,
// if accumulation also accepts other forms.
void check(const char* name, std::vector<Value> args, Tensor* rows = nullptr) {
  const Op* op = Registry::instance().find(name);
  REQUIRE(op != nullptr);
  const bool adds = op->accumulate != nullptr;
  REQUIRE(adds);
  seen.insert(name);
  args.resize(static_cast<size_t>(op->decl->signature.count));
  for (const double scale : {1.0, -0.5, 3.0}) {
    CAPTURE(name);
    CAPTURE(scale);
    Tensor result;
    Tensor* const results[] = {&result};
    std::vector<Value> plain = args;
    if (rows != nullptr) plain[0] = Value(*rows);
    Call call{*op, plain, results};
    run_op(call);
    const Tensor before = Tensor::empty(DType::float64, result.sizes());
    for (int64_t i = 0; i < before.numel(); ++i) before.data<double>()[i] = 10 + static_cast<double>(i);
    Tensor sum = clone(before);
    Tensor* const sums[] = {&sum};
    REQUIRE(op->accumulate(Call{*op, args, sums, 1}, scale));
    const Tensor dense = contiguous(result);
    for (int64_t i = 0; i < sum.numel(); ++i)
      CHECK(sum.data<double>()[i] == doctest::Approx(before.data<double>()[i] + scale * dense.data<double>()[i]).epsilon(1e-12));
  }
}

}  // namespace

TEST_CASE("an op adds scale times its result onto a sum") {
  Tensor a = numbers({3, 4}), b = numbers({4, 2}, 2), v = numbers({4}, 3), w = numbers({3}, 4);
  check("mm", {Value(a), Value(b)});
  check("matmul", {Value(a), Value(b)});
  check("mv", {Value(a), Value(v)});
  check("ger", {Value(w), Value(v)});
  Tensor g = numbers({5, 3}), x = numbers({5, 4}, 2), row = numbers({1, 3});
  check("linear_weight_grad", {Value(g), Value(x)});
  check("linear_weight_grad", {Value(w), Value(v)});
  check("linear_bias_grad", {Value(row)});
  check("linear_bias_grad", {Value(w)});
  const std::vector<int64_t> wide = {3, 4}, cube = {2, 4, 3};
  Tensor column = numbers({3, 1}), part = numbers({3, 2});
  check("expand", {Value(column), sizes_value(wide)});
  check("narrow_grad", {Value(part), sizes_value(wide), integer_value(1), integer_value(1)});
  check("narrow_grad", {Value(part), sizes_value(wide), integer_value(-1), integer_value(2)});
  Tensor box = numbers({2, 2, 3});
  check("narrow_grad", {Value(box), sizes_value(cube), integer_value(-2), integer_value(-3)});
  Tensor slice = numbers({3});
  check("select_grad", {Value(slice), sizes_value(wide), integer_value(1), integer_value(3)});
  check("select_grad", {Value(slice), sizes_value(wide), integer_value(-1), integer_value(0)});
  const std::vector<int64_t> ranges = {1, 2, -2, -1};
  Tensor corner = numbers({2, 2});
  check("sub_grad", {Value(corner), sizes_value(wide), sizes_value(ranges)});
  Tensor rows = positions({2}, {3, 1}), twice = positions({3}, {2, 2, 1}), table = positions({4}, {1, 3, 3, 2});
  Tensor two = numbers({2, 4}), three = numbers({3, 3}), deep = numbers({2, 2, 4}), flat = numbers({4, 4});
  check("index_grad", {Value(two), sizes_value(wide), integer_value(0), Value(rows)});
  check("index_grad", {Value(three), sizes_value(wide), integer_value(1), Value(twice)});
  check("index_grad", {Value(deep), sizes_value(wide), integer_value(0), Value(table)}, &flat);
  Tensor places = positions({3, 2}, {1, 4, 2, 2, 3, 1});
  check("gather_grad", {Value(part), sizes_value(wide), integer_value(1), Value(places)});
  for (const Op& op : Registry::instance().ops()) {
    const bool checked = op.accumulate == nullptr || seen.contains(std::string(op.decl->name));
    CHECK_MESSAGE(checked, op.decl->name.data());
  }
}

TEST_CASE("an op that can't add to a sum says so, and leaves it") {
  Tensor batch = numbers({2, 3, 4}), other = numbers({2, 4, 2}), sum = numbers({2, 3, 2});
  const Tensor before = clone(sum);
  const Op& matmul = *Registry::instance().find("matmul");
  std::vector<Value> args = {Value(batch), Value(other)};
  Tensor* const sums[] = {&sum};
  CHECK_FALSE(matmul.accumulate(Call{matmul, args, sums, 1}, 1));
  const Op& mv = *Registry::instance().find("mv");
  Tensor narrow = to_dtype(numbers({3, 4}), DType::float32), vector = to_dtype(numbers({4}), DType::float32);
  Tensor wide = numbers({3});
  Tensor* const wides[] = {&wide};
  std::vector<Value> floats = {Value(narrow), Value(vector)};
  CHECK_FALSE(mv.accumulate(Call{mv, floats, wides, 1}, 1));
  for (int64_t i = 0; i < sum.numel(); ++i) CHECK(sum.data<double>()[i] == before.data<double>()[i]);
}
