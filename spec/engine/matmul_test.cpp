// Matrix products beyond the registry sweeps: results that are operands, factors of 0, broadcasting and dtypes.
#include <doctest/doctest.h>

#include <cmath>
#include <string_view>
#include <vector>

#include "engine/core/registry.h"

namespace {

using mt::DType;
using mt::Shape;
using mt::Tensor;
using mt::Value;

Tensor counting(Shape sizes, double first, DType dtype = DType::float64) {
  Tensor t = Tensor::empty(DType::float64, sizes);
  for (int64_t i = 0; i < t.numel(); ++i) t.data<double>()[i] = first + static_cast<double>(i);
  return mt::to_dtype(t, dtype);
}

Tensor transposed(const Tensor& t) {
  Tensor view = t;
  view.set_geometry(t.offset(), Shape{t.size(1), t.size(0)}, Shape{t.stride(1), t.stride(0)});
  return view;
}

std::vector<double> values(const Tensor& t) {
  const Tensor dense = mt::contiguous(mt::to_dtype(t, DType::float64));
  return {dense.data<double>(), dense.data<double>() + dense.numel()};
}

Tensor run(std::string_view name, std::vector<Value> args, Tensor* result = nullptr) {
  const mt::Op& op = *mt::Registry::instance().find(name);
  while (static_cast<int>(args.size()) < op.decl->signature.count) {
    const auto& param = op.decl->signature.params[args.size()];
    args.push_back(param.has_default ? Value(param.default_number) : Value());
  }
  Tensor fresh;
  Tensor* const results[] = {result ? result : &fresh};
  mt::Call call{op, args, results, result ? 1u : 0u};
  mt::run_op(call);
  return *results[0];
}

using Values = std::vector<double>;

}  // namespace

TEST_CASE("a result that is an operand receives the right product") {
  Tensor a = counting({2, 2}, 1), b = counting({2, 2}, 5);
  run("mm", {Value(a), Value(b)}, &a);
  CHECK(values(a) == Values{19, 22, 43, 50});
  Tensor c = counting({2, 2}, 1), c_transposed = transposed(c);
  run("mm", {Value(c), Value(c)}, &c_transposed);
  CHECK(values(c) == Values{7, 15, 10, 22});
  Tensor m = counting({2, 2}, 1);
  run("addmm", {Value(m), Value(m), Value(m), Value(2.0), Value(3.0)}, &m);
  CHECK(values(m) == Values{23, 34, 51, 74});
}

TEST_CASE("addmm adds in place and leaves what is around the result") {
  Tensor whole = counting({4, 4}, 0), m = whole, a = counting({2, 3}, 1), b = counting({3, 2}, 1);
  m.set_geometry(5, Shape{2, 2}, Shape{4, 1});
  run("addmm", {Value(m), Value(a), Value(b)}, &m);
  CHECK(values(whole) == Values{0, 1, 2, 3, 4, 5 + 22, 6 + 28, 7, 8, 9 + 49, 10 + 64, 11, 12, 13, 14, 15});
}

TEST_CASE("with beta 0 the addend is not read") {
  Tensor m = counting({2, 2}, NAN), a = counting({2, 2}, 1), b = counting({2, 2}, 5);
  for (Tensor* result : {static_cast<Tensor*>(nullptr), &m})
    CHECK(values(run("addmm", {Value(m), Value(a), Value(b), Value(0.0)}, result)) == Values{19, 22, 43, 50});
}

TEST_CASE("every op gives what its definition says") {
  Tensor a = counting({2, 3}, 1), x = counting({3}, 1), y = counting({2}, 1), m = counting({2, 3}, 0), s = counting({2, 2, 3}, 0),
         t = counting({2, 3, 1}, 0), n = counting({2, 1}, 1), one = counting({1}, 1);
  CHECK(values(run("dot", {Value(x), Value(x)})) == Values{14});
  CHECK(values(run("mv", {Value(a), Value(x)})) == Values{14, 32});
  CHECK(values(run("ger", {Value(y), Value(x)})) == Values{1, 2, 3, 2, 4, 6});
  CHECK(values(run("addmv", {Value(y), Value(a), Value(x), Value(2.0), Value(0.5)})) == Values{9, 20});
  CHECK(values(run("addr", {Value(m), Value(y), Value(x), Value(2.0), Value(3.0)})) == Values{3, 8, 13, 12, 20, 28});
  CHECK(values(run("bmm", {Value(s), Value(t)})) == Values{5, 14, 86, 122});
  CHECK(values(run("baddbmm", {Value(one), Value(s), Value(t)})) == Values{6, 15, 87, 123});
  CHECK(values(run("addbmm", {Value(n), Value(s), Value(t), Value(3.0)})) == Values{91 + 3, 136 + 6});
  CHECK(values(run("linear", {Value(x), Value(a), Value(y)})) == Values{15, 34});
  CHECK(values(run("linear", {Value(s), Value(a), Value(y)})) == Values{9, 19, 27, 64, 45, 109, 63, 154});
}

TEST_CASE("matmul broadcasts the dimensions in front") {
  Tensor a = counting({2, 1, 2, 3}, 0), b = counting({4, 3, 2}, 0), x = counting({3}, 0);
  const Tensor product = run("matmul", {Value(a), Value(b)});
  CHECK(std::ranges::equal(product.sizes(), Shape{2, 4, 2, 2}.operator mt::Sizes()));
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < 4; ++j)
      for (int64_t r = 0; r < 2; ++r)
        for (int64_t c = 0; c < 2; ++c) {
          double sum = 0;
          for (int64_t k = 0; k < 3; ++k) sum += static_cast<double>((6 * i + 3 * r + k) * (6 * j + 2 * k + c));
          CHECK(product.data<double>()[((i * 4 + j) * 2 + r) * 2 + c] == sum);
        }
  CHECK(values(run("matmul", {Value(x), Value(x)})) == Values{5});
  CHECK(values(run("matmul", {Value(x), Value(b)})) == Values{10, 13, 28, 31, 46, 49, 64, 67});
  CHECK(run("matmul", {Value(a), Value(x)}).dim() == 3);
}

TEST_CASE("mixed dtypes are promoted, integers wrap, empty products are 0") {
  Tensor a = counting({1, 2}, 100, DType::uint8), b = counting({2, 1}, 1, DType::uint8), f = counting({2, 1}, 0.5, DType::float32);
  CHECK(values(run("mm", {Value(a), Value(b)})) == Values{(100 + 202) % 256});
  CHECK(run("mm", {Value(a), Value(f)}).dtype() == DType::float32);
  Tensor none = counting({2, 0}, 0), none_too = counting({0, 3}, 0), empty = counting({0, 2, 2}, 0), m = counting({2, 2}, 1);
  CHECK(values(run("mm", {Value(none), Value(none_too)})) == Values(6, 0));
  CHECK(values(run("addbmm", {Value(m), Value(empty), Value(empty), Value(2.0)})) == Values{2, 4, 6, 8});
}

TEST_CASE("sizes that don't fit are named") {
  Tensor a = counting({2, 3}, 0), x = counting({2}, 0);
  CHECK_THROWS_WITH(run("mm", {Value(a), Value(a)}), "mm: b: [2, 3], expected size 3 of dimension 1 (size mismatch)");
  CHECK_THROWS_WITH(run("mm", {Value(a), Value(x)}), "mm: b: [2], expected 2 dimensions");
  CHECK_THROWS_WITH(run("mv", {Value(a), Value(x)}), "mv: x: [2], expected size 3 of dimension 1 (size mismatch)");
}
