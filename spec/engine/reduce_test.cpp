// Guarantees of reductions beyond single results: exact and accurate sums, equal bits for any number of threads, NaN and ties, any
// layout.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/core/registry.h"

namespace {

using mt::DType;
using mt::Shape;
using mt::Tensor;
using mt::Value;

struct Results {
  Tensor tensors[2];
  template <class T> T at(int64_t i, int r = 0) const { return tensors[r].data<T>()[i]; }
};

// dim counts from 0; -100 means left out.
Results run(const char* name, Tensor x, int64_t dim = -100, double p = 2) {
  const mt::Op* op = mt::Registry::instance().find(name);
  REQUIRE(op != nullptr);
  std::vector<Value> args(static_cast<size_t>(op->decl->signature.count));
  args[0] = Value(x);
  const int dim_at = op->decl->signature.find("dim");
  if (const int i = op->decl->signature.find("p"); i >= 0) args[static_cast<size_t>(i)] = Value(p);
  if (const int i = op->decl->signature.find("biased"); i >= 0) args[static_cast<size_t>(i)].type = Value::Type::boolean;
  if (dim != -100) {
    args[static_cast<size_t>(dim_at)].type = Value::Type::integer;
    args[static_cast<size_t>(dim_at)].integer = dim;
  }
  Results r;
  Tensor* pointers[2] = {&r.tensors[0], &r.tensors[1]};
  mt::Call call{*op, args, pointers};
  mt::run_op(call);
  return r;
}

template <class T> Tensor filled(std::initializer_list<int64_t> sizes, auto value) {
  Tensor t = Tensor::empty(mt::dtype_of<T>, sizes);
  for (int64_t i = 0, n = t.numel(); i < n; ++i) t.data<T>()[i] = static_cast<T>(value(i));
  return t;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  if (a.numel() != b.numel()) return false;
  return a.numel() == 0 || std::memcmp(a.bytes(), b.bytes(), static_cast<size_t>(a.numel() * mt::size_of(a.dtype()))) == 0;
}

double noise(int64_t i) { return static_cast<double>((i * 7919 + 13) % 10007) / 10007.0 - 0.5; }

TEST_CASE("a float sum of many equal terms stays accurate") {
  const int64_t n = 20'000'000;
  const Tensor x = filled<float>({n}, [](int64_t) { return 0.1f; });
  CHECK(run("sum", x).at<float>(0) == doctest::Approx(n * 0.1).epsilon(1e-6));
  CHECK(run("mean", x).at<float>(0) == doctest::Approx(0.1).epsilon(1e-7));
}

TEST_CASE("integer sums are exact, along a dimension they wrap") {
  const Tensor x = filled<uint8_t>({2, 300}, [](int64_t) { return 255; });
  CHECK(run("sum", x).at<int64_t>(0) == 600 * 255);
  CHECK(run("sum", x, 1).at<uint8_t>(1) == static_cast<uint8_t>(300 * 255));
  const Tensor y = filled<int64_t>({3}, [](int64_t i) { return (int64_t{1} << 60) + i; });
  CHECK(run("sum", y).at<int64_t>(0) == 3 * (int64_t{1} << 60) + 3);
  const Tensor z = filled<int16_t>({40, 50}, [](int64_t i) { return i % 7 - 3; });
  int64_t expected = 0;
  for (int64_t i = 0; i < 2000; ++i) expected += i % 7 - 3;
  CHECK(run("sum", z).at<int64_t>(0) == expected);
}

TEST_CASE("float16 sums go beyond what float16 can count") {
  const Tensor x = filled<mt::Half>({5000}, [](int64_t) { return 1.0f; });
  CHECK(static_cast<float>(run("sum", x).at<mt::Half>(0)) == 5000.0f);
}

TEST_CASE("any number of threads gives the same bits") {
  const int before = mt::num_threads();
  const Tensor flat = filled<float>({3'000'001}, noise), tall = filled<float>({50'001, 41}, noise);
  for (const char* name : {"sum", "var", "norm", "max", "aminmax", "varMean"}) {
    CAPTURE(std::string(name));
    mt::set_num_threads(1);
    const auto a = run(name, flat), b = run(name, tall, 0), c = run(name, tall, 1);
    for (const int threads : {2, 3, 7}) {
      mt::set_num_threads(threads);
      const auto a2 = run(name, flat), b2 = run(name, tall, 0), c2 = run(name, tall, 1);
      for (int r = 0; r < 2; ++r) {
        CHECK(same_bits(a.tensors[r], a2.tensors[r]));
        CHECK(same_bits(b.tensors[r], b2.tensors[r]));
        CHECK(same_bits(c.tensors[r], c2.tensors[r]));
      }
    }
  }
  mt::set_num_threads(before);
}

TEST_CASE("any place in memory gives the same bits") {
  const Tensor flat = filled<float>({100'003}, noise), tall = filled<float>({5'001, 41}, noise);
  const auto moved = [](const Tensor& t, int64_t by) {
    Tensor copy = Tensor::empty(DType::float32, {t.numel() + by});
    std::memcpy(copy.data<float>() + by, t.bytes(), static_cast<size_t>(t.numel()) * sizeof(float));
    Shape sizes(t.sizes()), strides(t.strides());
    copy.set_geometry(by, sizes, strides);
    return copy;
  };
  for (const char* name : {"sum", "var", "norm", "max", "aminmax", "varMean", "prod"}) {
    CAPTURE(std::string(name));
    const auto a = run(name, flat), b = run(name, tall, 0), c = run(name, tall, 1);
    for (const int64_t by : {1, 2, 3, 4, 8, 12, 15}) {
      const auto a2 = run(name, moved(flat, by)), b2 = run(name, moved(tall, by), 0), c2 = run(name, moved(tall, by), 1);
      for (int r = 0; r < 2; ++r) {
        CHECK(same_bits(a.tensors[r], a2.tensors[r]));
        CHECK(same_bits(b.tensors[r], b2.tensors[r]));
        CHECK(same_bits(c.tensors[r], c2.tensors[r]));
      }
    }
  }
}

TEST_CASE("the first of equal extrema is named, and a NaN wins") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const int64_t n : {5, 64, 1000, 70'000}) {
    Tensor x = filled<float>({n, 6}, [](int64_t) { return 1.0f; });
    CHECK(run("max", x, 0).at<int64_t>(3, 1) == 1);
    x.data<float>()[(n - 2) * 6 + 3] = 2;
    x.data<float>()[(n - 1) * 6 + 3] = 2;
    CHECK(run("max", x, 0).at<int64_t>(3, 1) == n - 1);
    CHECK(run("max", x, 0).at<float>(3) == 2);
    CHECK(run("argmax", x).at<int64_t>(0) == (n - 2) * 6 + 3 + 1);
    x.data<float>()[(n / 2) * 6 + 3] = nan;
    x.data<float>()[(n / 2 + 1) * 6 + 3] = nan;
    CHECK(run("max", x, 0).at<int64_t>(3, 1) == n / 2 + 1);
    CHECK(run("min", x, 0).at<int64_t>(3, 1) == n / 2 + 1);
    CHECK(std::isnan(run("min", x).at<float>(0)));
    Tensor turned = x;
    const int64_t sizes[] = {6, n}, strides[] = {1, 6};
    turned.set_geometry(0, sizes, strides);
    CHECK(run("max", turned, 1).at<int64_t>(3, 1) == n / 2 + 1);
    CHECK(run("argmin", turned).at<int64_t>(0) == 3 * n + n / 2 + 1);
  }
}

// Equal numbers in other layouts: results may differ only by rounding.
TEST_CASE("layouts agree with plain loops") {
  const int64_t a = 7, b = 65, c = 19;
  Tensor base = filled<double>({a * b * 2 * c + 3}, noise);
  const int64_t strides[3] = {b * 2 * c, 2 * c, 1};
  const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (const int64_t step : {1, 2, 0}) {
    for (const auto& order : orders) {
      const int64_t all[3] = {a, b, c}, steps[3] = {strides[0], strides[1], step};
      int64_t s[3], t[3];
      for (int d = 0; d < 3; ++d) {
        s[d] = all[order[d]];
        t[d] = steps[order[d]];
      }
      Tensor x = base;
      x.set_geometry(3, s, t);
      const double* p = base.data<double>() + 3;
      for (int dim = 0; dim < 3; ++dim) {
        const auto sum = run("sum", x, dim), var = run("var", x, dim), max = run("max", x, dim), norm = run("norm", x, dim, 3);
        const auto extrema = run("aminmax", x, dim), deviation = run("stdMean", x, dim);
        const int u = dim == 0 ? 1 : 0, v = dim == 2 ? 1 : 2;
        for (int64_t i = 0; i < s[u]; ++i) {
          for (int64_t j = 0; j < s[v]; ++j) {
            double total = 0, cubes = 0, squares = 0;
            int64_t best = 0, least = 0;
            const double* q = p + i * t[u] + j * t[v];
            for (int64_t k = 0; k < s[dim]; ++k) {
              total += q[k * t[dim]];
              cubes += std::pow(std::abs(q[k * t[dim]]), 3);
              if (q[k * t[dim]] > q[best * t[dim]]) best = k;
              if (q[k * t[dim]] < q[least * t[dim]]) least = k;
            }
            for (int64_t k = 0; k < s[dim]; ++k) squares += std::pow(q[k * t[dim]] - total / static_cast<double>(s[dim]), 2);
            const int64_t at = i * s[v] + j;
            REQUIRE(sum.at<double>(at) == doctest::Approx(total).epsilon(1e-12));
            REQUIRE(norm.at<double>(at) == doctest::Approx(std::cbrt(cubes)).epsilon(1e-12));
            REQUIRE(std::abs(var.at<double>(at) - squares / static_cast<double>(s[dim] - 1)) < 1e-14);
            REQUIRE(max.at<int64_t>(at, 1) == best + 1);
            REQUIRE(max.at<double>(at) == q[best * t[dim]]);
            REQUIRE(extrema.at<double>(at, 0) == q[least * t[dim]]);
            REQUIRE(extrema.at<double>(at, 1) == q[best * t[dim]]);
            REQUIRE(std::abs(deviation.at<double>(at, 0) - std::sqrt(squares / static_cast<double>(s[dim] - 1))) < 1e-13);
            REQUIRE(std::abs(deviation.at<double>(at, 1) - total / static_cast<double>(s[dim])) < 1e-13);
          }
        }
      }
      double total = 0;
      for (int64_t i = 0; i < s[0]; ++i) {
        for (int64_t j = 0; j < s[1]; ++j) {
          for (int64_t k = 0; k < s[2]; ++k) total += p[i * t[0] + j * t[1] + k * t[2]];
        }
      }
      CHECK(std::abs(run("sum", x).at<double>(0) - total) < 1e-9);
    }
  }
}

// Runs and columns are long enough for chunks, for floats and for 16-bit floats, which are widened once for all loops.
TEST_CASE("results of one reduction are those of several") {
  const auto same = [](const Tensor& x, int64_t dim) {
    const Results both = run("aminmax", x, dim), low = run("min", x, dim), high = run("max", x, dim);
    CHECK(same_bits(both.tensors[0], low.tensors[0]));
    CHECK(same_bits(both.tensors[1], high.tensors[0]));
    if (!mt::is_float(x.dtype())) return;
    CHECK(same_bits(run("varMean", x, dim).tensors[0], run("var", x, dim).tensors[0]));
    CHECK(same_bits(run("stdMean", x, dim).tensors[0], run("std", x, dim).tensors[0]));
  };
  for (const int64_t dim : {int64_t{-100}, int64_t{0}, int64_t{1}}) {
    same(filled<float>({70'001, 5}, noise), dim);
    same(filled<float>({3, 300'001}, noise), dim);
    same(filled<mt::Half>({2100, 1030}, noise), dim);
    same(filled<mt::BFloat16>({9000, 7}, noise), dim);
    same(filled<uint8_t>({1999, 321}, [](int64_t i) { return i * 7919 % 251; }), dim);
    same(filled<int64_t>({40, 5000}, [](int64_t i) { return i * 7919 % 25103; }), dim);
  }
  const Tensor x = filled<float>({40'000, 6}, noise);
  const Results both = run("varMean", x, 0), mean = run("mean", x, 0);
  for (int64_t i = 0; i < 6; ++i) CHECK(both.at<float>(i, 1) == doctest::Approx(mean.at<float>(i)).epsilon(1e-6));
}

TEST_CASE("the variance of values far from 0 keeps its digits") {
  const Tensor x = filled<float>({100'000, 3}, [](int64_t i) { return 10000.0f + static_cast<float>(i % 2); });
  CHECK(run("var", x).at<float>(0) == doctest::Approx(0.25).epsilon(1e-5));
  CHECK(run("var", x, 0).at<float>(1) == doctest::Approx(0.25).epsilon(1e-4));
}

TEST_CASE("nothing to reduce") {
  const Tensor none = Tensor::empty(DType::float32, {0, 3});
  CHECK(run("sum", none).at<float>(0) == 0);
  CHECK(run("prod", none, 0).at<float>(2) == 1);
  CHECK(run("sum", none, 1).tensors[0].numel() == 0);
  CHECK(std::isnan(run("mean", none, 0).at<float>(0)));
  CHECK(std::isnan(run("varMean", none, 0).at<float>(1, 0)));
  CHECK(std::isnan(run("varMean", none, 0).at<float>(1, 1)));
  CHECK_THROWS_WITH_AS(run("aminmax", none), "aminmax: x: [0, 3], expected one element or more", mt::Error);
  CHECK_THROWS_WITH_AS(run("max", none), "max: x: [0, 3], expected one element or more", mt::Error);
  CHECK_THROWS_WITH_AS(run("sum", none, 2), "sum: dim: dimension 3 out of range 1..2", mt::Error);
}

}  // namespace
