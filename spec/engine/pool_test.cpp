// Pooling ops against their definition, window by window: edges, strides, dilation, ties, NaN.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string_view>
#include <vector>

#include "engine/core/image_layout.h"
#include "engine/core/registry.h"

namespace {

using mt::DType;
using mt::ImageLayout;
using mt::Tensor;
using mt::Value;

struct Case {
  int64_t planes, h, w, kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w;
  bool ceil;
  int64_t dilation_h = 1, dilation_w = 1;
  bool count_pad = true;
};

constexpr Case cases[] = {
    {2, 6, 8, 2, 2, 2, 2, 0, 0, false},       {1, 24, 24, 2, 2, 2, 2, 0, 0, false},
    {3, 9, 41, 2, 2, 2, 2, 0, 0, false},      {2, 5, 11, 2, 2, 2, 2, 0, 0, true},
    {3, 7, 41, 3, 3, 2, 2, 1, 1, false},      {2, 9, 40, 3, 3, 1, 1, 1, 1, false},
    {1, 5, 7, 2, 3, 2, 2, 0, 0, true},        {2, 9, 30, 3, 2, 1, 1, 0, 0, false, 2, 3},
    {1, 8, 9, 3, 3, 3, 3, 1, 0, true},        {2, 10, 35, 3, 3, 2, 2, 1, 1, true, 1, 1, false},
    {1, 12, 12, 11, 11, 1, 1, 5, 5, false},   {1, 3, 3, 3, 3, 1, 1, 0, 0, false},
    {2, 4, 4, 2, 2, 1, 1, 1, 1, false, 5, 5}, {1, 40, 5, 3, 4, 1, 3, 1, 2, false},
    {7, 9, 11, 3, 3, 2, 2, 1, 1, true},       {16, 8, 5, 3, 2, 1, 2, 1, 0, false, 2, 3},
    {17, 6, 6, 3, 3, 1, 1, 1, 1, false},      {70, 10, 9, 9, 9, 1, 1, 4, 4, false, 1, 1, false},
};

constexpr ImageLayout layouts[] = {ImageLayout::channels_first, ImageLayout::channels_last};

Value boolean(bool b) {
  Value v;
  v.type = Value::Type::boolean;
  v.boolean = b;
  return v;
}

Value whole(int64_t n) { return Value(static_cast<double>(n)); }

std::vector<Tensor> run(std::string_view name, std::vector<Value> args) {
  const mt::Op& op = *mt::Registry::instance().find(name);
  std::vector<Tensor> results(static_cast<size_t>(op.decl->signature.result_count));
  std::vector<Tensor*> places;
  for (Tensor& t : results) places.push_back(&t);
  mt::Call call{op, args, places};
  mt::run_op(call);
  return results;
}

template <class T> Tensor images(const Case& c, unsigned seed) {
  Tensor x = Tensor::empty(mt::dtype_of<T>, {c.planes, c.h, c.w});
  std::mt19937 random(seed);
  for (int64_t i = 0; i < x.numel(); ++i) x.data<T>()[i] = static_cast<T>(static_cast<int>(random() % 9) - 4);  // many ties
  return x;
}

// Returns the planes unchanged, or as the channels of a channels-last batch.
Tensor laid_out(const Tensor& x, ImageLayout layout) {
  if (layout == ImageLayout::channels_first) return x;
  const Tensor batch = Tensor::over(x.storage_ptr(), x.offset(), mt::Shape{1, x.size(0), x.size(1), x.size(2)},
                                    mt::Shape{x.numel(), x.stride(0), x.stride(1), x.stride(2)});
  return mt::with_layout(batch, x.dtype(), layout);
}

// Converts a result of such images back to planes first.
Tensor planes_first(const Tensor& result, ImageLayout layout) {
  CHECK(mt::layout_of(result) == layout);
  return mt::contiguous(result);
}

std::vector<Value> window(const Case& c) {
  return {whole(c.kernel_h), whole(c.kernel_w), whole(c.stride_h), whole(c.stride_w), whole(c.pad_h), whole(c.pad_w), boolean(c.ceil)};
}

// Calls f(position in the plane) for the taps of window (r, k) that lie within the image.
template <class F> void each_tap(const Case& c, int64_t r, int64_t k, F f) {
  for (int64_t i = 0; i < c.kernel_h; ++i)
    for (int64_t j = 0; j < c.kernel_w; ++j) {
      const int64_t row = r * c.stride_h - c.pad_h + i * c.dilation_h, col = k * c.stride_w - c.pad_w + j * c.dilation_w;
      if (row >= 0 && row < c.h && col >= 0 && col < c.w) f(row * c.w + col);
    }
}

int64_t counted(int64_t start, int64_t kernel, int64_t size, int64_t pad, bool count_pad) {
  const int64_t end = std::min(start + kernel, size + pad);
  return count_pad ? end - start : std::min(end, size) - std::max<int64_t>(start, 0);
}

template <class T> void check_max(const Case& c, ImageLayout layout) {
  Tensor x = images<T>(c, 1);
  x.data<T>()[c.h * c.w / 2] = std::numeric_limits<T>::quiet_NaN();
  for (int64_t i = 0; i < 3 * c.w && i < c.h * c.w; ++i) x.data<T>()[x.numel() - 1 - i] = -std::numeric_limits<T>::infinity();
  std::vector<Value> args = window(c);
  Tensor given = laid_out(x, layout);
  args.insert(args.begin(), Value(given));
  args.insert(args.end(), {whole(c.dilation_h), whole(c.dilation_w)});
  auto results = run("maxPool2d", args);
  const Tensor values = planes_first(results[0], layout), indices = planes_first(results[1], layout);
  const int64_t rows = values.size(values.dim() - 2), columns = values.size(values.dim() - 1);
  std::vector<double> grad(static_cast<size_t>(x.numel()));
  int64_t at = 0;
  bool right = true;
  for (int64_t p = 0; p < c.planes; ++p)
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t k = 0; k < columns; ++k, ++at) {
        T best = -std::numeric_limits<T>::infinity();
        int64_t where = -1;
        each_tap(c, r, k, [&](int64_t i) {
          const T v = x.data<T>()[p * c.h * c.w + i];
          if (where < 0 || v > best || (std::isnan(v) && !std::isnan(best))) best = v, where = i;
        });
        if (where < 0) where = 0;  // all taps of the window are padding
        const T got = values.data<T>()[at];
        right = right && (got == best || (std::isnan(got) && std::isnan(best))) && indices.data<int64_t>()[at] == where + 1;
        grad[static_cast<size_t>(p * c.h * c.w + where)] += static_cast<double>(at % 7);
      }
  CHECK(right);
  Tensor g = Tensor::empty(mt::dtype_of<T>, values.sizes());
  for (int64_t i = 0; i < g.numel(); ++i) g.data<T>()[i] = static_cast<T>(i % 7);
  const Tensor x_grad = planes_first(run("maxPool2d_grad", {Value(g), Value(results[1]), whole(c.h), whole(c.w)})[0], layout);
  CHECK(std::equal(grad.begin(), grad.end(), x_grad.data<T>(), [](double want, T got) { return static_cast<T>(want) == got; }));
}

template <class T> void check_average(const Case& c, ImageLayout layout) {
  Tensor x = images<T>(c, 2);
  std::vector<Value> args = window(c);
  args.push_back(boolean(c.count_pad));
  Tensor given = laid_out(x, layout);
  args.insert(args.begin(), Value(given));
  Tensor y = planes_first(run("avgPool2d", args)[0], layout);
  const int64_t rows = y.size(y.dim() - 2), columns = y.size(y.dim() - 1);
  std::vector<double> grad(static_cast<size_t>(x.numel()));
  int64_t at = 0;
  double worst = 0;
  for (int64_t p = 0; p < c.planes; ++p)
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t k = 0; k < columns; ++k, ++at) {
        const auto count = static_cast<double>(counted(r * c.stride_h - c.pad_h, c.kernel_h, c.h, c.pad_h, c.count_pad) *
                                               counted(k * c.stride_w - c.pad_w, c.kernel_w, c.w, c.pad_w, c.count_pad));
        double sum = 0;
        each_tap(c, r, k, [&](int64_t i) {
          sum += static_cast<double>(x.data<T>()[p * c.h * c.w + i]);
          grad[static_cast<size_t>(p * c.h * c.w + i)] += static_cast<double>(at % 7) / count;
        });
        worst = std::max(worst, std::abs(static_cast<double>(y.data<T>()[at]) - sum / count));
      }
  CHECK(worst < 1e-6);
  for (int64_t i = 0; i < y.numel(); ++i) y.data<T>()[i] = static_cast<T>(i % 7);
  Tensor g = mt::with_layout(y, y.dtype(), layout);
  args[0] = Value(g);
  args.insert(args.begin() + 1, {whole(c.h), whole(c.w)});
  const Tensor x_grad = planes_first(run("avgPool2d_grad", args)[0], layout);
  worst = 0;
  for (size_t i = 0; i < grad.size(); ++i) worst = std::max(worst, std::abs(grad[i] - static_cast<double>(x_grad.data<T>()[i])));
  CHECK(worst < 2e-5);
}

}  // namespace

TEST_CASE_TEMPLATE("maxPool2d and its gradient equal their definition; the first of equals and NaN win", T, float, double) {
  for (const ImageLayout layout : layouts)
    for (const Case& c : cases) check_max<T>(c, layout);
}

TEST_CASE_TEMPLATE("avgPool2d and its gradient equal their definition", T, float, double) {
  for (const ImageLayout layout : layouts)
    for (const Case& c : cases)
      if (c.dilation_h == 1) check_average<T>(c, layout);
}

TEST_CASE("an index that lies outside is an error") {
  Tensor g = Tensor::empty(DType::float32, {1, 1, 1}), indices = Tensor::empty(DType::int64, {1, 1, 1});
  g.data<float>()[0] = 1;
  for (const int64_t wrong : {0, 5, -7}) {
    indices.data<int64_t>()[0] = wrong;
    CHECK_THROWS_WITH(run("maxPool2d_grad", {Value(g), Value(indices), whole(2), whole(2)}),
                      "maxPool2d_grad: indices: an index out of range, expected 1..4");
  }
}
