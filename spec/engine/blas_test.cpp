// Products on raw memory against a triple loop in float64 or in wrapping integers, for all layouts; and their guarantees for beta and
// threads.
#include "engine/cpu/blas.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string_view>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/cpu/vendor_blas.h"

namespace {

using mt::BFloat16;
using mt::Half;
using mt::cpu::MatrixView;

struct Threads {
  explicit Threads(int n) : before(mt::num_threads()) { mt::set_num_threads(n); }
  ~Threads() { mt::set_num_threads(before); }
  const int before;
};

enum class Layout { rows, columns, strided, repeated_row };

// A matrix and its memory; elements of the memory that are not part of the matrix hold `filler`.
template <class T> struct Held {
  std::vector<T> memory;
  MatrixView<T> view;

  Held(int64_t rows, int64_t cols, Layout layout) {
    switch (layout) {
      case Layout::rows:
        view = {nullptr, rows, cols, cols + 3, 1};
        break;
      case Layout::columns:
        view = {nullptr, rows, cols, 1, rows};
        break;
      case Layout::strided:
        view = {nullptr, rows, cols, 2 * cols + 1, 2};
        break;
      case Layout::repeated_row:
        view = {nullptr, rows, cols, 0, 1};
        break;
    }
    memory.assign(static_cast<size_t>(std::max<int64_t>(1, rows * (2 * cols + 4))), T(7));
    view.data = memory.data();
  }
  void fill(std::mt19937& random) {
    for (int64_t i = 0; i < view.rows; ++i)
      for (int64_t j = 0; j < view.cols; ++j) view.at(i, j) = T(static_cast<float>(static_cast<int>(random() % 200) - 100) / 16);
  }
};

template <class T> double value(T x) { return static_cast<double>(static_cast<mt::Compute<T>>(x)); }

// Integers: double holds the sums of these tests exactly; the conversion wraps them.
template <class T> double wanted(double sum) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<double>(static_cast<T>(static_cast<int64_t>(sum)));
  else
    return sum;
}

template <class T> double epsilon() {
  if constexpr (std::is_same_v<T, Half>)
    return 0x1p-10;
  else if constexpr (std::is_same_v<T, BFloat16>)
    return 0x1p-7;
  else if constexpr (std::is_integral_v<T>)
    return 0;
  else
    return std::numeric_limits<T>::epsilon();
}

template <class T, class F>
void check_gemm(F gemm, int64_t m, int64_t n, int64_t k, Layout la, Layout lb, Layout lc, double alpha, double beta) {
  std::mt19937 random(static_cast<unsigned>(m * 31 + n * 7 + k));
  Held<T> a(m, k, la), b(k, n, lb), c(m, n, lc);
  a.fill(random);
  b.fill(random);
  c.fill(random);
  if (beta == 0 && !std::is_integral_v<T>)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) c.view.at(i, j) = T(NAN);  // must not be read
  const Held<T> before = c;
  gemm(static_cast<mt::Compute<T>>(alpha), a.view, b.view, static_cast<mt::Compute<T>>(beta), c.view);
  std::vector<bool> written(c.memory.size());
  double worst = 0;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0, size = 0;
      for (int64_t p = 0; p < k; ++p) {
        const double product = value(a.view.at(i, p)) * value(b.view.at(p, j));
        sum += alpha * product;
        size += std::abs(alpha * product);
      }
      const int64_t at = i * c.view.row_stride + j * c.view.col_stride;
      if (beta != 0) sum += beta * value(before.memory[static_cast<size_t>(at)]);
      written[static_cast<size_t>(at)] = true;
      const double error = std::abs(value(c.view.at(i, j)) - wanted<T>(sum));
      const double sums_in = sizeof(T) == 8 ? 0x1p-52 : 0x1p-23;
      const double allowed = epsilon<T>() * std::abs(sum) + (std::is_integral_v<T> ? 0 : sums_in * (size + std::abs(sum)) * 2);
      worst = std::max(worst, error - allowed);
    }
  CHECK(worst <= 0);
  bool untouched = true;
  for (size_t i = 0; i < written.size(); ++i) untouched = untouched && (written[i] || value(c.memory[i]) == 7);
  CHECK(untouched);
}

template <class T, class F> void check_all(F gemm) {
  const Layout all[] = {Layout::rows, Layout::columns, Layout::strided};
  const int64_t sizes[][3] = {{1, 1, 1},      {2, 2, 2},    {3, 4, 5},    {1, 9, 20}, {17, 1, 30},
                              {65, 130, 129}, {5, 41, 300}, {50, 3, 270}, {4, 3, 0},  {0, 3, 2}};
  for (const auto& [m, n, k] : sizes)
    for (const Layout la : all)
      for (const Layout lb : all)
        for (const Layout lc : all) {
          check_gemm<T>(gemm, m, n, k, la, lb, lc, 1, 0);
          check_gemm<T>(gemm, m, n, k, la, lb, lc, 3, 2);
        }
  check_gemm<T>(gemm, 20, 30, 40, Layout::repeated_row, Layout::rows, Layout::rows, 1, 1);
  check_gemm<T>(gemm, 20, 30, 40, Layout::rows, Layout::repeated_row, Layout::columns, 1, 0);
}

}  // namespace

TEST_CASE_TEMPLATE("gemm equals the triple loop for all layouts", T, uint8_t, int16_t, int64_t, Half, BFloat16, float, double) {
  check_all<T>([](auto... args) { mt::cpu::gemm<T>(args...); });
  check_all<T>([](auto... args) { mt::cpu::plain_gemm<T>(args...); });
}

TEST_CASE("gemm: alpha 0 reads no operand") {
  std::vector<float> a(64 * 64, NAN), c(64 * 64, 2);
  const MatrixView<float> nan{a.data(), 64, 64, 64, 1}, result{c.data(), 64, 64, 64, 1};
  mt::cpu::gemm<float>(0, nan, nan, 3, result);
  CHECK(c == std::vector<float>(64 * 64, 6));
  mt::cpu::gemm<float>(0, {a.data(), 1, 1, 1, 1}, {a.data(), 1, 1, 1, 1}, 0, {c.data(), 1, 1, 1, 1});
  CHECK(c[0] == 0);
}

TEST_CASE_TEMPLATE("gemm gives the same bits for any number of threads", T, float, double) {
  std::mt19937 random(1);
  for (const auto& [m, n, k] : {std::array<int64_t, 3>{131, 257, 301},
                                {1000, 37, 400},
                                {33, 777, 500},
                                {300, 300, 1000},
                                {261, 267, 256},
                                {500, 500, 500},
                                {64, 1000, 300},
                                {128, 784, 512},
                                {25, 999, 90},
                                {130'001, 16, 31}}) {
    for (const Layout layout : {Layout::rows, Layout::columns}) {
      Held<T> a(m, k, layout), b(k, n, layout), alone(m, n, Layout::rows);
      a.fill(random);
      b.fill(random);
      {
        const Threads one(1);
        mt::cpu::gemm<T>(T(0.3), a.view, b.view, 0, alone.view);
      }
      for (const int threads : {2, 3, 5, 7}) {
        const Threads several(threads);
        Held<T> shared(m, n, Layout::rows);
        mt::cpu::gemm<T>(T(0.3), a.view, b.view, 0, shared.view);
        CHECK(std::memcmp(shared.memory.data(), alone.memory.data(), alone.memory.size() * sizeof(T)) == 0);
      }
    }
  }
}

TEST_CASE("plain_gemm of float32 gives the same bits for any number of threads") {
  std::mt19937 random(1);
  for (const auto& [m, n, k] : {std::array<int64_t, 3>{700, 37, 300}, {131, 257, 301}, {900, 4, 300}, {4, 2000, 300}}) {
    Held<float> a(m, k, Layout::rows), b(k, n, Layout::columns), alone(m, n, Layout::rows);
    a.fill(random);
    b.fill(random);
    for (const int threads : {1, 2, 5, 7}) {
      const Threads some(threads);
      Held<float> shared(m, n, Layout::rows);
      mt::cpu::plain_gemm<float>(1, a.view, b.view, 0, shared.view);
      if (threads == 1) alone = shared;
      CHECK(std::memcmp(shared.memory.data(), alone.memory.data(), alone.memory.size() * sizeof(float)) == 0);
    }
  }
}

TEST_CASE("batched_gemm steps through its operands and repeats those with step 0") {
  constexpr int64_t n = 20, batch = 5;
  std::mt19937 random(2);
  std::vector<double> a(batch * n * n), b(n * n), c(batch * n * n), want(n * n);
  for (auto* v : {&a, &b})
    for (double& x : *v) x = static_cast<double>(random() % 100);
  mt::cpu::batched_gemm<double>(batch, 1, {a.data(), n, n, n, 1}, n * n, {b.data(), n, n, n, 1}, 0, 0, {c.data(), n, n, n, 1}, n * n);
  for (int64_t i = 0; i < batch; ++i) {
    mt::cpu::plain_gemm<double>(1, {a.data() + i * n * n, n, n, n, 1}, {b.data(), n, n, n, 1}, 0, {want.data(), n, n, n, 1});
    CHECK(std::equal(want.begin(), want.end(), c.begin() + i * n * n));
  }
}

// Enough multiplications that oneDNN's kernels pay off if OpenBLAS uses those for AVX2.
TEST_CASE("batched_gemm of large float32 batches: layouts, factors, an unread result, the same bits for any threads") {
  constexpr int64_t rows = 37, cols = 50, depth = 45, batch = 60;
  std::mt19937 random(4);
  for (const Layout of_a : {Layout::rows, Layout::columns, Layout::strided}) {
    for (const Layout of_b : {Layout::rows, Layout::columns}) {
      for (const Layout of_c : {Layout::rows, Layout::columns, Layout::strided}) {
        for (const float beta : {0.0F, 0.5F}) {
          struct Batch {
            MatrixView<float> view;
            int64_t step;
          };
          const auto held = [](std::vector<float>& memory, int64_t count, int64_t m, int64_t n, Layout layout) {
            const int64_t line = layout == Layout::strided ? 2 : 1, step = line * m * n;
            memory.resize(static_cast<size_t>(count * step));
            const MatrixView<float> view{memory.data(), m, n, layout == Layout::columns ? 1 : line * n,
                                         layout == Layout::columns ? m : line};
            return Batch{view, step};
          };
          std::vector<float> a_memory, b_memory, c_memory;
          const auto a = held(a_memory, batch, rows, depth, of_a);
          const auto b = held(b_memory, batch, depth, cols, of_b);
          const auto c = held(c_memory, batch, rows, cols, of_c);
          for (auto* memory : {&a_memory, &b_memory, &c_memory})
            for (float& x : *memory) x = static_cast<float>(static_cast<int>(random() % 200) - 100) / 16;
          if (beta == 0) std::fill(c_memory.begin(), c_memory.end(), NAN);
          const std::vector<float> before = c_memory;
          const auto multiply = [&](int threads) {
            const Threads some(threads);
            c_memory = before;
            mt::cpu::batched_gemm<float>(batch, -2, a.view, a.step, b.view, b.step, beta, c.view, c.step);
            return c_memory;
          };
          const std::vector<float> by_one = multiply(1), by_three = multiply(3);
          CHECK(std::memcmp(by_one.data(), by_three.data(), by_one.size() * sizeof(float)) == 0);
          double worst = 0;
          for (const int64_t i : {int64_t{0}, int64_t{1}, batch - 1}) {
            for (int64_t row = 0; row < rows; ++row) {
              for (int64_t col = 0; col < cols; ++col) {
                const int64_t at = i * c.step + row * c.view.row_stride + col * c.view.col_stride;
                double want = beta == 0 ? 0 : beta * double{before[static_cast<size_t>(at)]};
                for (int64_t k = 0; k < depth; ++k)
                  want -= 2.0 * double{a.view.data[i * a.step + row * a.view.row_stride + k * a.view.col_stride]} *
                          double{b.view.data[i * b.step + k * b.view.row_stride + col * b.view.col_stride]};
                const double off = std::abs(double{by_one[static_cast<size_t>(at)]} - want);
                worst = std::isnan(off) ? INFINITY : std::max(worst, off);
              }
            }
          }
          CHECK(worst < 1e-3);
        }
      }
    }
  }
}

TEST_CASE_TEMPLATE("gemv and ger equal gemm", T, int32_t, Half, float, double) {
  std::mt19937 random(3);
  for (const auto& [m, n] : {std::array<int64_t, 2>{1, 1}, {5, 7}, {64, 200}, {200, 64}, {333, 1}}) {
    for (const Layout layout : {Layout::rows, Layout::columns, Layout::strided}) {
      for (const int64_t stride : {1, 2}) {
        Held<T> a(m, n, layout), x(n * stride, 1, Layout::rows), y(m * stride, 1, Layout::columns), want(m, 1, Layout::columns);
        a.fill(random);
        x.fill(random);
        y.fill(random);
        for (int64_t i = 0; i < m; ++i) want.view.at(i, 0) = y.view.data[i * stride];
        mt::cpu::plain_gemm<T>(2, a.view, {x.view.data, n, 1, stride, 1}, 3, want.view);
        mt::cpu::gemv<T>(2, a.view, {x.view.data, n, stride}, 3, {y.view.data, m, stride});
        for (int64_t i = 0; i < m; ++i) CHECK(value(y.view.data[i * stride]) == doctest::Approx(value(want.view.at(i, 0))).epsilon(1e-3));
        Held<T> outer = a;
        outer.view.data = outer.memory.data();
        mt::cpu::ger<T>(2, {y.view.data, m, stride}, {x.view.data, n, stride}, outer.view);
        mt::cpu::plain_gemm<T>(2, {y.view.data, m, 1, stride, 1}, {x.view.data, 1, n, 1, stride}, 1, a.view);
        for (int64_t i = 0; i < m; ++i)
          for (int64_t j = 0; j < n; ++j) CHECK(value(outer.view.at(i, j)) == doctest::Approx(value(a.view.at(i, j))).epsilon(1e-3));
      }
    }
  }
}

TEST_CASE_TEMPLATE("gemv gives the same bits for any number of threads", T, float, double) {
  std::mt19937 random(1);
  for (const auto& [m, n] : {std::array<int64_t, 2>{1356, 638}, {1350, 300}, {5000, 100}, {90, 3001}}) {
    std::vector<T> x(static_cast<size_t>(n));
    for (T& value : x) value = T(1) / static_cast<T>(random() % 1000 + 3);  // the order of a sum changes its rounding
    for (const Layout layout : {Layout::rows, Layout::columns}) {
      Held<T> a(m, n, layout);
      a.fill(random);
      std::vector<T> alone;
      for (const int threads : {1, 2, 3, 7}) {
        const Threads some(threads);
        std::vector<T> y(static_cast<size_t>(m));
        mt::cpu::gemv<T>(1, a.view, {x.data(), n, 1}, 0, {y.data(), m, 1});
        if (threads == 1) alone = y;
        CHECK(y == alone);
      }
    }
  }
}

TEST_CASE("dot sums float32 so that a million terms keep six digits, for any number of threads") {
  const std::vector<float> x(1'000'003, 0.1f), ones(1'000'003, 1);
  const double want = 1'000'003 * static_cast<double>(0.1f);
  double first = 0;
  for (const int threads : {1, 2, 5}) {
    const Threads set(threads);
    const double sum = mt::cpu::dot<float>({x.data(), 1'000'003, 1}, {ones.data(), 1'000'003, 1});
    CHECK(std::abs(sum - want) < 1e-6 * want);
    if (threads == 1) first = sum;
    CHECK(sum == first);
  }
  CHECK(mt::cpu::dot<float>({x.data(), 500'000, 2}, {ones.data(), 500'000, 0}) == doctest::Approx(50'000));
  const std::vector<int64_t> big(4, int64_t{1} << 62);
  CHECK(mt::cpu::dot<int64_t>({big.data(), 4, 1}, {std::vector<int64_t>(4, 1).data(), 4, 1}) == 0);
  CHECK(mt::cpu::dot<double>({nullptr, 0, 1}, {nullptr, 0, 1}) == 0);
}

#if defined(__x86_64__)
TEST_CASE("OpenBLAS has vector kernels of the processor, also of one that is newer than the library") {
  const char* const kernels = mt::cpu::blas_identity().kernels;
  const bool is_known = __builtin_cpu_is("intel") || __builtin_cpu_is("amd");
  if (kernels == nullptr || !is_known || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || getenv("OPENBLAS_CORETYPE"))
    return;
  for (const std::string_view narrow : {"Prescott", "Nehalem", "Sandybridge", "Barcelona", "Bulldozer"}) CHECK(kernels != narrow);
}
#endif
