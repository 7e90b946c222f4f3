// Complex numbers, elements of 16 bytes: copies, fills, sums and products agree with those of single numbers, for any layout; every op that
// does not declare complex numbers refuses them.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/core/registry.h"
#include "spec/engine/values.h"

namespace {

using mt::DType;
using mt::ScalarValue;
using mt::Sizes;
using mt::Tensor;
using mt::Value;
using C = mt::Complex<double>;

constexpr DType complex128 = DType::complex128;

C noise(int64_t i) {
  return {static_cast<double>((i * 7919 + 13) % 10007) / 10007.0 - 0.5, static_cast<double>((i * 104729 + 7) % 10009) / 10009.0 - 0.25};
}

Tensor filled(std::initializer_list<int64_t> sizes, const std::function<C(int64_t)>& value) {
  Tensor t = Tensor::empty(complex128, sizes);
  for (int64_t i = 0, n = t.numel(); i < n; ++i) t.data<C>()[i] = value(i);
  return t;
}

Tensor view(const Tensor& x, int64_t offset, const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides) {
  Tensor v = x;
  v.set_geometry(offset, sizes, strides);
  return v;
}

// Every element in logical order.
std::vector<C> elements(const Tensor& x) {
  std::vector<C> list;
  std::vector<int64_t> at(static_cast<size_t>(x.dim()), 0);
  for (int64_t i = 0, n = x.numel(); i < n; ++i) {
    int64_t place = x.offset();
    for (int d = 0; d < x.dim(); ++d) place += at[static_cast<size_t>(d)] * x.stride(d);
    list.push_back(mt::read_element(x, place).as<C>());
    for (int d = x.dim() - 1; d >= 0 && ++at[static_cast<size_t>(d)] == x.size(d); --d) at[static_cast<size_t>(d)] = 0;
  }
  return list;
}

// The first result of an op: `into`, or a new tensor.
Tensor run(const char* name, std::vector<Value> args, Tensor* into = nullptr, bool as_number = false) {
  const mt::Op* op = mt::Registry::instance().find(name);
  REQUIRE(op != nullptr);
  args.resize(static_cast<size_t>(op->decl->signature.count));
  for (size_t i = 0; i < args.size(); ++i) {
    if (!args[i].given() && op->decl->signature.params[i].has_default) args[i] = Value(op->decl->signature.params[i].default_number);
  }
  Tensor fresh;
  Tensor* results[] = {into != nullptr ? into : &fresh};
  mt::Call call{*op, args, results};
  call.given = into != nullptr ? 1 : 0;
  call.as_number = as_number;
  mt::run_op(call);
  return *results[0];
}

void check_same(const Tensor& actual, const std::vector<C>& expected) {
  REQUIRE(actual.dtype() == complex128);
  REQUIRE(elements(actual) == expected);
}

bool close(C a, C b, double scale) { return std::hypot(a.re - b.re, a.im - b.im) <= 1e-13 * scale; }

// Tensors of the same sizes in several layouts.
std::vector<Tensor> layouts(int64_t rows, int64_t columns, int64_t seed) {
  const auto value = [seed](int64_t i) { return noise(i + seed); };
  const Tensor wide = filled({rows * columns * 8 + 16}, value);
  return {view(wide, 0, {rows, columns}, {columns, 1}),
          view(wide, 3, {rows, columns}, {1, rows}),
          view(wide, 1, {rows, columns}, {2 * columns, 2}),
          view(wide, 5, {rows, columns}, {columns + 3, 1}),
          view(wide, 2, {rows, columns}, {8 * columns, 7}),
          view(wide, 4, {rows, columns}, {0, 1}),
          view(wide, 6, {rows, columns}, {1, 0})};
}

struct Extent {
  int64_t rows, columns;
};
constexpr Extent extents[] = {{1, 1}, {3, 5}, {40, 10}, {7, 300}, {120, 90}};

TEST_CASE("the table says what a dtype of 16 bytes is") {
  CHECK(mt::size_of(complex128) == 16);
  CHECK(mt::kind_of(complex128) == mt::NumberKind::complex);
  CHECK(mt::accumulator_of(complex128) == complex128);
  CHECK(mt::find_dtype("complex128") == complex128);
  CHECK(mt::find_dtype("torch.ComplexDoubleTensor") == complex128);
  CHECK(!mt::is_float(complex128));
  for (int i = 0; i < mt::dtype_count; ++i) {
    CHECK(mt::promote(complex128, static_cast<DType>(i)) == complex128);
    CHECK(mt::promote(static_cast<DType>(i), complex128) == complex128);
  }
}

TEST_CASE("elements are read and written") {
  const Tensor x = filled({6}, noise);
  mt::write_element(x, 4, ScalarValue::of(C(2.5, -3)));
  CHECK(mt::read_element(x, 4).as<C>() == C(2.5, -3));
  CHECK(mt::read_element(x, 3).as<C>() == noise(3));
  CHECK(mt::read_element(x, 5).as<C>() == noise(5));
  const ScalarValue element = ScalarValue::of(C(1, 2));
  CHECK(elements(mt::one_element(Value::of_element(complex128, element), complex128, mt::cpu_device)) == std::vector<C>{C(1, 2)});
  CHECK(mt::element_as(Value(0.5), complex128).as<C>() == C(0.5, 0));
  CHECK(mt::element_as(integer_value(-7), complex128).as<C>() == C(-7, 0));
  CHECK_THROWS_WITH_AS(mt::element_as(Value::of_element(complex128, element), DType::float64),
                       "dtype: torch.ComplexDoubleTensor, expected a real number for torch.DoubleTensor", mt::Error);
}

TEST_CASE("copies between any two layouts") {
  for (const auto& [rows, columns] : extents) {
    for (const Tensor& from : layouts(rows, columns, 0)) {
      const std::vector<C> expected = elements(from);
      check_same(mt::clone(from), expected);
      const std::vector<Tensor> to = layouts(rows, columns, 1000);
      for (size_t k = 0; k + 2 < to.size(); ++k) {  // the last two overlap themselves
        mt::copy(to[k], from);
        check_same(to[k], expected);
      }
    }
  }
  Tensor x = filled({3, 4}, noise);
  Tensor row = filled({4}, [](int64_t i) { return C(static_cast<double>(i), 1); });
  run("copy", {Value(x), Value(row)}, &x);
  check_same(x, {C(0, 1), C(1, 1), C(2, 1), C(3, 1), C(0, 1), C(1, 1), C(2, 1), C(3, 1), C(0, 1), C(1, 1), C(2, 1), C(3, 1)});
}

TEST_CASE("copies of real numbers, and none to them") {
  for (int i = 0; i < mt::dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (mt::complex_dtypes.contains(dtype)) continue;
    Tensor real = Tensor::empty(dtype, {300, 2});
    mt::fill(real, mt::element_as(Value(1.0), dtype));
    mt::write_element(real, 5, mt::element_as(Value(0.0), dtype));
    std::vector<C> expected(600, C(1, 0));
    expected[5] = 0;
    check_same(mt::to_dtype(real, complex128), expected);
    const Tensor turned = view(real, 0, {2, 300}, {1, 2});
    Tensor x = Tensor::empty(complex128, {2, 300});
    mt::copy(x, turned);
    CHECK(elements(x)[302] == C(0, 0));
    CHECK(elements(x)[301] == C(1, 0));
    CHECK_THROWS_AS(run("copy", {Value(real), Value(x)}, &real), mt::Error);
  }
}

TEST_CASE("fills of any layout, by real and by complex numbers") {
  const ScalarValue element = ScalarValue::of(C(-1.5, 0.25));
  for (const auto& [rows, columns] : extents) {
    for (Tensor x : layouts(rows, columns, 0)) {
      const auto n = static_cast<size_t>(rows * columns);
      run("fill", {Value(x), Value::of_element(complex128, element)}, &x);
      check_same(x, std::vector<C>(n, C(-1.5, 0.25)));
      run("fill", {Value(x), Value(2.5)}, &x);
      check_same(x, std::vector<C>(n, C(2.5, 0)));
      run("zero", {Value(x)}, &x);
      check_same(x, std::vector<C>(n, C(0, 0)));
    }
  }
  Tensor between = filled({9}, noise), part = view(between, 1, {4}, {2});
  run("fill", {Value(part), integer_value(3)}, &part);
  for (int64_t i = 0; i < 9; ++i) CHECK(between.data<C>()[i] == (i % 2 == 1 ? C(3, 0) : noise(i)));
  Tensor real = Tensor::empty(DType::float32, {3});
  CHECK_THROWS_AS(run("fill", {Value(real), Value::of_element(complex128, element)}, &real), mt::Error);
}

TEST_CASE("sums and products of elements") {
  const ScalarValue number = ScalarValue::of(C(0.5, -2));
  for (const auto& [rows, columns] : extents) {
    const std::vector<Tensor> ys = layouts(rows, columns, 500);
    for (Tensor x : layouts(rows, columns, 0)) {
      const std::vector<C> a = elements(x);
      const size_t n = a.size();
      for (Tensor y : ys) {
        const std::vector<C> b = elements(y);
        std::vector<C> sum(n), scaled(n), product(n);
        for (size_t i = 0; i < n; ++i) {
          sum[i] = a[i] + b[i];
          scaled[i] = a[i] + C(0.5, -2) * b[i];
          product[i] = a[i] * b[i];
        }
        check_same(run("add", {Value(x), Value(y)}), sum);
        check_same(run("cmul", {Value(x), Value(y)}), product);
        check_same(run("add", {Value(x), Value(y), Value::of_element(complex128, number)}), scaled);
        Tensor into = view(Tensor::empty(complex128, {rows * columns * 2}), 0, {rows, columns}, {2 * columns, 2});
        run("cmul", {Value(x), Value(y)}, &into);
        check_same(into, product);
      }
      std::vector<C> shifted(n), doubled(n);
      for (size_t i = 0; i < n; ++i) {
        shifted[i] = a[i] + C(0.5, -2);
        doubled[i] = a[i] * C(2, 0);
      }
      check_same(run("add", {Value(x), Value::of_element(complex128, number)}), shifted);
      check_same(run("cmul", {Value(x), integer_value(2)}), doubled);
    }
  }
}

TEST_CASE("operands of several sizes and dtypes") {
  Tensor x = filled({40, 10}, noise), bias = filled({1, 10}, [](int64_t i) { return noise(i + 77); });
  Tensor factor = Tensor::empty(DType::float32, {40, 1});
  for (int64_t i = 0; i < 40; ++i) factor.data<float>()[i] = static_cast<float>(i);
  std::vector<C> sum, product;
  for (int64_t i = 0; i < 400; ++i) {
    sum.push_back(noise(i) + noise(i % 10 + 77));
    product.push_back(noise(i) * C(static_cast<double>(i / 10), 0));
  }
  check_same(run("add", {Value(x), Value(bias)}), sum);
  check_same(run("cmul", {Value(x), Value(factor)}), product);
  check_same(run("cmul", {Value(factor), Value(x)}), product);
  run("add", {Value(x), Value(bias)}, &x);  // in place
  check_same(x, sum);
  Tensor real = Tensor::empty(DType::float64, {40, 10});
  CHECK_THROWS_WITH_AS(run("add", {Value(x), Value(bias)}, &real), "add: res: torch.DoubleTensor, expected torch.ComplexDoubleTensor",
                       mt::Error);
  const ScalarValue number = ScalarValue::of(C(0, 1));
  CHECK(run("add", {Value(real), Value::of_element(complex128, number)}).dtype() == complex128);
}

TEST_CASE("views") {
  Tensor x = filled({3, 4}, noise);
  std::vector<C> turned;
  for (int64_t i = 0; i < 12; ++i) turned.push_back(noise(i % 3 * 4 + i / 3));
  check_same(run("t", {Value(x)}), turned);
}

TEST_CASE("sums of all elements and along a dimension") {
  for (const auto& [rows, columns] : extents) {
    for (Tensor x : layouts(rows, columns, 0)) {
      const std::vector<C> a = elements(x);
      C total = 0;
      std::vector<C> down(static_cast<size_t>(columns)), across(static_cast<size_t>(rows));
      for (size_t i = 0; i < a.size(); ++i) {
        total += a[i];
        down[i % down.size()] += a[i];
        across[i / down.size()] += a[i];
      }
      const auto scale = static_cast<double>(a.size());
      for (const bool as_number : {false, true}) {
        const Tensor sum = run("sum", {Value(x)}, nullptr, as_number);
        REQUIRE(sum.dtype() == complex128);
        CHECK(close(elements(sum)[0], total, scale));
      }
      const std::vector<C> by_column = elements(run("sum", {Value(x), integer_value(0)})),
                           by_row = elements(run("sum", {Value(x), integer_value(1)}));
      REQUIRE(by_column.size() == down.size());
      REQUIRE(by_row.size() == across.size());
      for (size_t j = 0; j < down.size(); ++j) CHECK(close(by_column[j], down[j], scale));
      for (size_t j = 0; j < across.size(); ++j) CHECK(close(by_row[j], across[j], scale));
    }
  }
  Tensor none = Tensor::empty(complex128, {0, 3});
  CHECK(elements(run("sum", {Value(none)})) == std::vector<C>{C(0, 0)});
}

TEST_CASE("large tensors, on any number of threads") {
  const int before = mt::num_threads();
  Tensor x = filled({2100, 301}, noise), turned = view(x, 0, {301, 2100}, {1, 301});
  std::vector<std::vector<C>> first;
  for (const int threads : {1, 2, 5}) {
    mt::set_num_threads(threads);
    const std::vector<Tensor> results = {run("sum", {Value(x)}), run("sum", {Value(x), integer_value(0)}),
                                         run("sum", {Value(turned), integer_value(0)}), run("add", {Value(x), Value(x)}),
                                         mt::clone(turned)};
    std::vector<std::vector<C>> lists;
    for (const Tensor& result : results) lists.push_back(elements(result));
    CHECK(lists[3] == elements(run("cmul", {Value(x), Value(2.0)})));
    CHECK(lists[4] == elements(turned));
    if (first.empty())
      first = lists;
    else
      CHECK(first == lists);
  }
  mt::set_num_threads(before);
}

TEST_CASE("ops that do not declare complex numbers refuse them") {
  Tensor x = filled({3, 4}, noise);
  Tensor* list[] = {&x};
  CHECK_THROWS_WITH_AS(run("max", {Value(x)}), "max: x: torch.ComplexDoubleTensor, expected a tensor of real numbers", mt::Error);
  std::vector<std::string> accepting;
  for (const mt::Op& op : mt::Registry::instance().ops()) {
    const mt::Signature& signature = op.decl->signature;
    std::vector<Value> args(static_cast<size_t>(signature.count));
    bool any = false;
    for (int i = 0; i < signature.count; ++i) {
      Value& arg = args[static_cast<size_t>(i)];
      if (signature.params[i].takes(mt::kind_tensor)) {
        arg = Value(x);
        any = true;
      } else if (signature.params[i].takes(mt::kind_tensors)) {
        arg.type = Value::Type::tensors;
        arg.tensors = list;
        arg.count = 1;
        any = true;
      }
    }
    if (!any || op.decl->sharing == mt::Sharing::view) continue;
    const std::string name(op.decl->name);
    CAPTURE(name);
    if (op.decl->dtypes.contains(complex128)) {
      accepting.push_back(name);
      continue;
    }
    std::vector<Tensor> fresh(static_cast<size_t>(signature.result_count));
    std::vector<Tensor*> results;
    for (Tensor& t : fresh) results.push_back(&t);
    mt::Call call{op, args, results};
    mt::Status status = mt::Status::ok;
    try {
      mt::run_op(call);
    } catch (const mt::Error& e) {
      status = e.status();
    }
    CHECK(status == mt::Status::dtype);
  }
  for (const char* name : {"add", "clone", "copy", "exp", "mm", "sum", "to"}) CHECK(std::ranges::count(accepting, name) == 1);
}

}  // namespace
