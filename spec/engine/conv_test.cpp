// Convolutions on raw memory, by the chosen method and by products, against the defining sum in float64.
#include "engine/cpu/conv.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "engine/core/parallel.h"

namespace {

using mt::ConvPass;
using mt::ConvShape;

struct Operands {
  std::vector<double> x, weight, bias, y;

  explicit Operands(const ConvShape& s)
      : x(static_cast<size_t>(s.batch * s.in * s.image())),
        weight(static_cast<size_t>(s.out * s.patch())),
        bias(static_cast<size_t>(s.out)),
        y(static_cast<size_t>(s.batch * s.out * s.points())) {
    std::mt19937 random(7);
    for (auto* operand : {&x, &weight, &bias, &y})
      for (double& value : *operand) value = static_cast<double>(static_cast<int>(random() % 64) - 32) / 16;
  }
};

// Returns the index in a channel of x of tap t of output o, or -1.
int64_t place(const ConvShape& s, int64_t o, int64_t t) {
  int64_t at = 0, step = 1;
  for (int i = ConvShape::max_dims - 1; i >= 0; --i) {
    const mt::ConvAxis& axis = s.axes[i];
    const int64_t x = o % axis.out() * axis.stride - axis.pad + t % axis.kernel * axis.dilation;
    if (x < 0 || x >= axis.size) return -1;
    at += x * step;
    step *= axis.size;
    o /= axis.out();
    t /= axis.kernel;
  }
  return at;
}

// Calls f(index in x, in weight, in y) for every product of the convolution.
template <class F> void each_product(const ConvShape& s, F f) {
  const int64_t in = s.in / s.groups, out = s.out / s.groups;
  for (int64_t n = 0; n < s.batch; ++n)
    for (int64_t o = 0; o < s.out; ++o)
      for (int64_t p = 0; p < s.points(); ++p)
        for (int64_t i = 0; i < in; ++i)
          for (int64_t t = 0; t < s.taps(); ++t) {
            const int64_t at = place(s, p, t);
            if (at < 0) continue;
            f(static_cast<size_t>((n * s.in + o / out * in + i) * s.image() + at), static_cast<size_t>((o * in + i) * s.taps() + t),
              static_cast<size_t>((n * s.out + o) * s.points() + p));
          }
}

Operands defined(ConvPass pass, const ConvShape& s) {
  const Operands given(s);
  Operands result = given;
  const auto plane = static_cast<size_t>(s.points()), channels = static_cast<size_t>(s.out);
  switch (pass) {
    case ConvPass::forward:
      for (size_t i = 0; i < result.y.size(); ++i) result.y[i] = given.bias[i / plane % channels];
      each_product(s, [&](size_t x, size_t w, size_t y) { result.y[y] += given.x[x] * given.weight[w]; });
      break;
    case ConvPass::input_grad:
      std::fill(result.x.begin(), result.x.end(), 0);
      each_product(s, [&](size_t x, size_t w, size_t y) { result.x[x] += given.y[y] * given.weight[w]; });
      break;
    case ConvPass::weight_grad:
      std::fill(result.weight.begin(), result.weight.end(), 0);
      std::fill(result.bias.begin(), result.bias.end(), 0);
      each_product(s, [&](size_t x, size_t w, size_t y) { result.weight[w] += given.y[y] * given.x[x]; });
      for (size_t i = 0; i < given.y.size(); ++i) result.bias[i / plane % channels] += given.y[i];
      break;
  }
  return result;
}

template <class T> std::vector<T> as(const std::vector<double>& values) { return {values.begin(), values.end()}; }

// The largest difference, in units of the largest element.
template <class T> double difference(const std::vector<T>& got, const std::vector<double>& want) {
  double worst = 0, largest = 1;
  for (size_t i = 0; i < want.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(got[i]) - want[i]));
    largest = std::max(largest, std::abs(want[i]));
  }
  return worst / largest;
}

template <class T, class F> void check(F conv, ConvPass pass, const ConvShape& s, double allowed = sizeof(T) == 4 ? 2e-6 : 1e-14) {
  const Operands given(s), want = defined(pass, s);
  auto x = as<T>(given.x), weight = as<T>(given.weight), bias = as<T>(given.bias), y = as<T>(given.y);
  conv(pass, s, x.data(), weight.data(), bias.data(), y.data());
  CHECK(difference(x, want.x) <= allowed);
  CHECK(difference(weight, want.weight) <= allowed);
  CHECK(difference(bias, want.bias) <= allowed);
  CHECK(difference(y, want.y) <= allowed);
}

constexpr ConvShape shapes[] = {{2, 3, 4, 1, {{{}, {7, 3, 1, 0, 1}, {6, 3, 1, 0, 1}}}},
                                {1, 1, 1, 1, {{{}, {5, 5, 1, 0, 1}, {5, 5, 1, 0, 1}}}},
                                {2, 4, 6, 2, {{{}, {9, 3, 2, 1, 1}, {8, 2, 1, 1, 1}}}},
                                {1, 2, 3, 1, {{{}, {11, 3, 2, 2, 2}, {10, 3, 3, 2, 2}}}},
                                {3, 5, 7, 1, {{{}, {4, 1, 1, 0, 1}, {4, 1, 1, 0, 1}}}},
                                {2, 6, 6, 6, {{{}, {8, 3, 1, 1, 1}, {8, 3, 1, 1, 1}}}},
                                {4, 16, 32, 1, {{{}, {12, 3, 1, 1, 1}, {12, 3, 1, 1, 1}}}},
                                {2, 16, 24, 2, {{{}, {13, 5, 2, 1, 1}, {11, 3, 2, 0, 1}}}},
                                {4, 32, 16, 1, {{{}, {10, 1, 2, 0, 1}, {10, 1, 2, 0, 1}}}},
                                {2, 3, 2, 1, {{{}, {5, 2, 1, 4, 1}, {5, 2, 1, 4, 1}}}},
                                {2, 3, 4, 1, {{{5, 2, 1, 1, 1}, {4, 3, 1, 0, 1}, {6, 2, 2, 1, 1}}}},
                                {1, 4, 6, 2, {{{6, 2, 2, 0, 2}, {5, 1, 1, 0, 1}, {7, 3, 1, 2, 2}}}},
                                {2, 16, 16, 1, {{{6, 3, 1, 1, 1}, {8, 3, 1, 1, 1}, {8, 3, 2, 1, 1}}}},
                                {2, 8, 8, 1, {{{1, 1, 1, 1, 1}, {4, 3, 1, 1, 1}, {5, 3, 1, 1, 1}}}},
                                {4, 16, 32, 1, {{{}, {}, {40, 5, 1, 2, 1}}}},
                                {2, 3, 6, 3, {{{}, {9, 3, 2, 1, 1}, {21, 5, 2, 3, 1}}}},
                                {3, 4, 4, 4, {{{}, {7, 2, 3, 2, 2}, {35, 3, 1, 0, 2}}}},
                                {2, 5, 5, 5, {{{}, {6, 3, 1, 4, 1}, {6, 2, 2, 3, 1}}}},
                                {2, 4, 4, 4, {{{}, {}, {19, 4, 2, 1, 1}}}},
                                {3, 5, 5, 5, {{{}, {28, 3, 1, 1, 1}, {29, 3, 1, 1, 1}}}},
                                {2, 3, 3, 3, {{{}, {7, 3, 1, 0, 1}, {37, 3, 1, 2, 1}}}},
                                {2, 3, 3, 3, {{{}, {6, 3, 1, 2, 1}, {17, 3, 1, 0, 1}}}},
                                {2, 2, 2, 2, {{{}, {4, 3, 1, 2, 1}, {4, 3, 1, 2, 1}}}},
                                {3, 2, 2, 2, {{{}, {5, 3, 1, 1, 1}, {33, 3, 1, 2, 1}}}},
                                {2, 3, 3, 3, {{{}, {300, 3, 1, 2, 1}, {7, 3, 1, 1, 1}}}},
                                {3, 2, 2, 2, {{{}, {4, 3, 1, 1, 1}, {14, 3, 1, 1, 1}}}},
                                {2, 3, 9, 1, {{{}, {9, 7, 2, 3, 1}, {63, 7, 2, 3, 1}}}},  // few channels
                                {3, 1, 8, 1, {{{}, {28, 5, 1, 0, 1}, {28, 5, 1, 0, 1}}}},
                                {1, 4, 13, 1, {{{}, {70, 3, 2, 1, 1}, {39, 2, 1, 1, 2}}}},
                                {2, 2, 16, 1, {{{}, {5, 3, 1, 4, 2}, {46, 3, 1, 2, 2}}}},
                                {2, 3, 8, 1, {{{}, {}, {61, 4, 1, 3, 1}}}},
                                {2, 1, 10, 1, {{{}, {4, 1, 1, 0, 1}, {32, 1, 1, 0, 1}}}},
                                {1, 3, 3, 3, {{{}, {8, 3, 3, 1, 1}, {8, 3, 3, 1, 1}}}}};

}  // namespace

TEST_CASE_TEMPLATE("convolution equals its definition, by products and by the chosen method", T, float, double) {
  for (const ConvShape& s : shapes)
    for (const ConvPass pass : {ConvPass::forward, ConvPass::input_grad, ConvPass::weight_grad}) {
      check<T>([](auto... args) { mt::cpu::conv<T>(args...); }, pass, s);
      check<T>([](auto... args) { mt::cpu::plain_conv<T>(args...); }, pass, s);
    }
}

TEST_CASE("3x3 convolutions of many tiles stay within what minimal filtering may lose") {
  const ConvShape tiles[] = {{3, 32, 48, 1, {{{}, {17, 3, 1, 1, 1}, {18, 3, 1, 1, 1}}}},
                             {2, 40, 33, 1, {{{}, {30, 3, 1, 0, 1}, {19, 3, 1, 1, 1}}}},
                             {5, 32, 40, 1, {{{}, {7, 3, 1, 1, 1}, {8, 3, 1, 1, 1}}}},
                             {2, 128, 131, 1, {{{}, {12, 3, 1, 1, 1}, {23, 3, 1, 0, 1}}}}};
  for (const ConvShape& s : tiles)
    for (const ConvPass pass : {ConvPass::forward, ConvPass::input_grad, ConvPass::weight_grad})
      check<float>([](auto... args) { mt::cpu::conv<float>(args...); }, pass, s, 1e-5);
}

namespace {

template <class F> void check_bits(F conv, ConvPass pass, const ConvShape& s) {
  const Operands given(s);
  const int before = mt::num_threads();
  std::vector<float> first;
  for (const int threads : {1, 2, 3}) {
    mt::set_num_threads(threads);
    auto x = as<float>(given.x), weight = as<float>(given.weight), bias = as<float>(given.bias), y = as<float>(given.y);
    for (auto* operand : {&x, &weight, &bias, &y})
      for (float& value : *operand) value *= 1.1F;  // the order of a sum changes its rounding
    conv(pass, s, x.data(), weight.data(), bias.data(), y.data());
    for (auto* operand : {&y, &weight, &bias}) x.insert(x.end(), operand->begin(), operand->end());
    if (threads == 1) first = x;
    CHECK(std::memcmp(x.data(), first.data(), x.size() * sizeof(float)) == 0);
  }
  mt::set_num_threads(before);
}

}  // namespace

TEST_CASE("convolution gives the same bits for any number of threads, all but oneDNN's gradient of the weight") {
  const ConvShape methods[] = {{9, 16, 32, 1, {{{}, {14, 3, 1, 1, 1}, {14, 3, 1, 1, 1}}}},    // parts of a batch
                               {2, 64, 64, 1, {{{}, {20, 3, 1, 1, 1}, {20, 3, 1, 1, 1}}}},    // Winograd's method needs both images
                               {4, 130, 128, 1, {{{}, {21, 3, 1, 0, 1}, {30, 3, 1, 1, 1}}}},  // Winograd's method in blocks of tiles
                               {3, 256, 64, 1, {{{}, {14, 1, 1, 0, 1}, {14, 1, 1, 0, 1}}}},   // a product an image
                               {2, 3, 12, 1, {{{}, {50, 5, 1, 2, 1}, {40, 5, 1, 2, 1}}}},     // few channels
                               {6, 32, 32, 32, {{{}, {30, 3, 1, 1, 1}, {30, 3, 1, 1, 1}}}}};  // one kernel per channel
  for (const ConvShape& s : methods)
    for (const ConvPass pass : {ConvPass::forward, ConvPass::input_grad, ConvPass::weight_grad}) {
      check_bits([](auto... args) { mt::cpu::plain_conv<float>(args...); }, pass, s);
      if (pass != ConvPass::weight_grad || mt::cpu::conv_method(pass, s, true) != mt::cpu::ConvMethod::dnnl)
        check_bits([](auto... args) { mt::cpu::conv<float>(args...); }, pass, s);
    }
}
