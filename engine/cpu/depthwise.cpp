// Depthwise 3x3 convolution, a plane at a time. The plane is copied between borders of zeros, where it stays in the first-level cache, so
// that no vector meets an edge; the last vector of a row repeats some columns. Forward, four rows of results are made at once: of each row
// of the plane three shifted vectors are loaded, and each serves three rows of results. The gradient of the input is the same with the
// kernel turned round. That of the weight has nine vectors of sums, to which each row of the plane adds its products with three rows of the
// result's gradient; they are added up in double.
// Zen 4, one thread, 8 x 128 x 28 x 28 floats: 0.23 ms forward, 0.25 for the input's gradient, 0.32 for the weight's, whose many sums spare
// registers with vectors of 8. oneDNN takes 0.80, 0.85 and 0.75 with its reorders.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/depthwise.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // must come before what is compiled several times
#include <hwy/highway.h>

#include <algorithm>

#include "engine/core/parallel.h"
#include "engine/core/tensor.h"
#include "engine/cpu/depthwise.h"

#include "engine/cpu/row_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int64_t kernel = 3, taps = kernel * kernel;
constexpr int64_t grain_of_work = 1 << 18;  // multiplications a thread
constexpr int64_t longest_sum = 256;        // products that a lane adds up before they go into double

// A plane between borders of zeros.
template <class T> class Bordered {
 public:
  Bordered(int64_t height, int64_t width, int64_t rows_around, int64_t columns_around)
      : height_(height),
        width_(width),
        step_(width + 2 * columns_around),
        corner_(rows_around * step_ + columns_around),
        space_(Tensor::empty(dtype_of<T>, {(height + 2 * rows_around) * step_})) {
    std::fill_n(space_.template data<T>(), space_.numel(), T(0));
  }
  int64_t step() const { return step_; }  // from row to row

  // Copies a plane, and asks for the next where that isn't null: one that follows comes by itself.
  template <class D> HWY_INLINE const T* fill(D d, const T* plane, const T* next) const {
    T* const all = space_.template data<T>();
    for (int64_t row = 0; row < height_; ++row)
      each_row_vector(d, width_, [&](int64_t c, int64_t) HWY_ATTR {
        if (next) hwy::Prefetch(next + row * width_ + c);
        hn::StoreU(hn::LoadU(d, plane + row * width_ + c), d, all + corner_ + row * step_ + c);
      });
    return all;
  }

 private:
  const int64_t height_, width_, step_, corner_;
  const Tensor space_;
};

// What the columns of a row of the kernel meet, or their weights.
template <class D> struct Three { hn::Vec<D> left, middle, right; };

template <class D, class T> HWY_INLINE Three<D> load_row(D d, const T* row) {
  return {hn::LoadU(d, row), hn::LoadU(d, row + 1), hn::LoadU(d, row + 2)};
}
template <class D, class T> HWY_INLINE Three<D> set_row(D d, T left, T middle, T right) {
  return {hn::Set(d, left), hn::Set(d, middle), hn::Set(d, right)};
}
template <class D> HWY_INLINE hn::Vec<D> add_products(hn::Vec<D> sum, const Three<D>& x, const Three<D>& w) {
  return hn::MulAdd(x.right, w.right, hn::MulAdd(x.middle, w.middle, hn::MulAdd(x.left, w.left, sum)));
}

// A vector of columns of a plane of results, from a plane with its borders. The kernel comes by value, so that it stays in registers.
template <class D, class T> HWY_INLINE void convolve_columns(D d, const T* from, int64_t step, const Three<D> top, const Three<D> middle,
                                                             const Three<D> bottom, const hn::Vec<D> start, T* to, int64_t height,
                                                             int64_t width) {
  constexpr int64_t block = 4;
  for (int64_t done = 0; done < height; done += block) {
    const int64_t first = done + block <= height ? done : height - block;  // the last block may repeat rows
    const T* const at = from + first * step;
    T* const out = to + first * width;
    const auto r0 = load_row(d, at);
    auto y0 = add_products(start, r0, top);
    const auto r1 = load_row(d, at + step);
    y0 = add_products(y0, r1, middle);
    auto y1 = add_products(start, r1, top);
    const auto r2 = load_row(d, at + 2 * step);
    hn::StoreU(add_products(y0, r2, bottom), d, out);
    y1 = add_products(y1, r2, middle);
    auto y2 = add_products(start, r2, top);
    const auto r3 = load_row(d, at + 3 * step);
    hn::StoreU(add_products(y1, r3, bottom), d, out + width);
    y2 = add_products(y2, r3, middle);
    auto y3 = add_products(start, r3, top);
    const auto r4 = load_row(d, at + 4 * step);
    hn::StoreU(add_products(y2, r4, bottom), d, out + 2 * width);
    y3 = add_products(y3, r4, middle);
    hn::StoreU(add_products(y3, load_row(d, at + 5 * step), bottom), d, out + 3 * width);
  }
}

template <class D, class T>
HWY_INLINE void convolve(D d, const T* from, int64_t step, const T* w, T bias, T* to, int64_t height, int64_t width) {
  const Three<D> top = set_row(d, w[0], w[1], w[2]), middle = set_row(d, w[3], w[4], w[5]), bottom = set_row(d, w[6], w[7], w[8]);
  const auto start = hn::Set(d, bias);
  each_row_vector(d, width, [&](int64_t column, int64_t) HWY_ATTR {
    convolve_columns(d, from + column, step, top, middle, bottom, start, to + column, height, width);
  });
}

// All planes: of results from those of x, or of x's gradient from those of the results', with the kernel turned round.
template <class T> void planes_as(const ConvShape& s, bool turned, const T* from, const T* weight, const T* bias, T* to) {
  const ConvAxis &rows = s.axes[1], &columns = s.axes[2];
  const int64_t from_height = turned ? rows.out() : rows.size, from_width = turned ? columns.out() : columns.size;
  const int64_t to_height = turned ? rows.size : rows.out(), to_width = turned ? columns.size : columns.out();
  const int64_t rows_around = turned ? kernel - 1 - rows.pad : rows.pad, columns_around = turned ? kernel - 1 - columns.pad : columns.pad;
  const int64_t from_plane = from_height * from_width, to_plane = to_height * to_width;
  parallel_for(s.batch * s.in, std::max<int64_t>(1, grain_of_work / (taps * to_plane)), [&](int64_t begin, int64_t end) {
    const Bordered<T> bordered(from_height, from_width, rows_around, columns_around);
    with_row_vectors<T>(std::min(from_width, to_width), [&](auto d) HWY_ATTR {
      T w[taps];
      for (int64_t plane = begin; plane < end; ++plane) {
        const int64_t channel = plane % s.in;
        std::copy_n(weight + channel * taps, taps, w);
        if (turned) std::reverse(w, w + taps);
        const T* const source = bordered.fill(d, from + plane * from_plane, nullptr);
        convolve(d, source, bordered.step(), w, bias ? bias[channel] : T(0), to + plane * to_plane, to_height, to_width);
      }
    });
  });
}

template <class D> HWY_INLINE Three<D> add_products(const Three<D>& sum, const Three<D>& x, hn::Vec<D> g) {
  return {hn::MulAdd(x.left, g, sum.left), hn::MulAdd(x.middle, g, sum.middle), hn::MulAdd(x.right, g, sum.right)};
}

// The sums of products of a kernel's gradient and the bias's: vectors of them, and what these have been added to.
template <class D> class TapSums {
  using T = hn::TFromD<D>;
  using Row = Three<D>;

 public:
  explicit TapSums(D d) : d_(d), top_(zeros()), middle_(zeros()), bottom_(zeros()), all_(hn::Zero(d)) {}

  // Adds the products of columns of a plane with borders and of the gradient of its results, of which `repeated` columns don't count.
  // Asks for the same columns of the next gradient, `ahead` elements away.
  HWY_INLINE void add(const T* x, int64_t step, const T* g, int64_t ahead, int64_t height, int64_t width, int64_t repeated) {
    if (height > room_) settle();
    room_ -= height;
    const auto counts = hn::Not(hn::FirstN(d_, static_cast<size_t>(repeated)));
    Row top = top_, middle = middle_, bottom = bottom_;
    auto above = hn::Zero(d_), two_above = hn::Zero(d_), all = all_;
    for (int64_t row = 0; row < height; ++row) {
      hwy::Prefetch(g + row * width + ahead);
      const Row r = load_row(d_, x + row * step);
      const auto here = hn::IfThenElseZero(counts, hn::LoadU(d_, g + row * width));
      top = add_products(top, r, here);
      middle = add_products(middle, r, above);
      bottom = add_products(bottom, r, two_above);
      all = hn::Add(all, here);
      two_above = above;
      above = here;
    }
    const Row last = load_row(d_, x + height * step);
    middle_ = add_products(middle, last, above);
    bottom_ = add_products(add_products(bottom, last, two_above), load_row(d_, x + (height + 1) * step), above);
    top_ = top;
    all_ = all;
  }

  // Writes the kernel's gradient and, where it isn't null, the bias's.
  void give(T* weight, T* bias) {
    settle();
    const auto total = [&](int64_t sum) {
      double result = 0;
      for (size_t lane = 0; lane < hn::Lanes(d_); ++lane) result += totals_[sum][lane];
      return static_cast<T>(result);
    };
    for (int64_t tap = 0; tap < taps; ++tap) weight[tap] = total(tap);
    if (bias) *bias = total(taps);
  }

 private:
  Row zeros() const { return {hn::Zero(d_), hn::Zero(d_), hn::Zero(d_)}; }

  void settle() {
    int64_t next = 0;
    const auto add_lanes = [&](hn::Vec<D>& sum) HWY_ATTR {
      HWY_ALIGN T lanes[hn::MaxLanes(D())];
      hn::Store(sum, d_, lanes);
      for (size_t lane = 0; lane < hn::Lanes(d_); ++lane) totals_[next][lane] += static_cast<double>(lanes[lane]);
      sum = hn::Zero(d_);
      ++next;
    };
    for (Row* row : {&top_, &middle_, &bottom_}) {
      add_lanes(row->left);
      add_lanes(row->middle);
      add_lanes(row->right);
    }
    add_lanes(all_);
    room_ = longest_sum;
  }

  const D d_;
  Row top_, middle_, bottom_;
  hn::Vec<D> all_;  // the gradient of the results itself
  int64_t room_ = longest_sum;
  double totals_[taps + 1][hn::MaxLanes(D())] = {};
};

template <class T> void weight_grad_as(const ConvShape& s, const T* x, T* weight, T* bias, const T* g) {
  const ConvAxis &rows = s.axes[1], &columns = s.axes[2];
  const int64_t plane = s.image(), points = s.points(), height = rows.out(), width = columns.out();
  const int64_t grain = std::max<int64_t>(1, grain_of_work / (taps * points * s.batch));
  parallel_for(s.in, grain, [&](int64_t begin, int64_t end) {
    const Bordered<T> bordered(rows.size, columns.size, rows.pad, columns.pad);
    with_row_vectors<T, 8>(std::min(columns.size, width), [&](auto d) HWY_ATTR {
      for (int64_t channel = begin; channel < end; ++channel) {
        TapSums<decltype(d)> sums(d);
        for (int64_t n = 0; n < s.batch; ++n) {
          const int64_t here = n * s.in + channel, next = n + 1 < s.batch ? here + s.in : std::min(channel + 1, end - 1);
          const T* const source = bordered.fill(d, x + here * plane, x + next * plane);
          each_row_vector(d, width, [&](int64_t c, int64_t repeated) HWY_ATTR {
            sums.add(source + c, bordered.step(), g + here * points + c, (next - here) * points, height, width, repeated);
          });
        }
        sums.give(weight + channel * taps, bias ? bias + channel : nullptr);
      }
    });
  });
}

template <class T> void run_as(ConvPass pass, const ConvShape& s, std::byte* x, std::byte* weight, std::byte* bias, std::byte* y) {
  const auto as = [](std::byte* operand) { return reinterpret_cast<T*>(operand); };
  switch (pass) {
    case ConvPass::forward:
      return planes_as<T>(s, false, as(x), as(weight), as(bias), as(y));
    case ConvPass::input_grad:
      return planes_as<T>(s, true, as(y), as(weight), nullptr, as(x));
    case ConvPass::weight_grad:
      return weight_grad_as<T>(s, as(x), as(weight), as(bias), as(y));
  }
}

}  // namespace

void depthwise(DType dtype, ConvPass pass, const ConvShape& s, std::byte* x, std::byte* weight, std::byte* bias, std::byte* y) {
  (dtype == DType::float32 ? run_as<float> : run_as<double>)(pass, s, x, weight, bias, y);
}

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mt {

HWY_EXPORT(depthwise);

namespace cpu {

bool suits_depthwise(const ConvShape& s) {
  constexpr int64_t kernel = 3, narrowest = 4;
  const auto suits = [](const ConvAxis& axis) {
    return axis.kernel == kernel && axis.stride == 1 && axis.dilation == 1 && axis.pad < kernel &&
           std::min(axis.size, axis.out()) >= narrowest;
  };
  return s.groups == s.in && s.in == s.out && s.axes[0].size == 1 && s.axes[0].plain() && suits(s.axes[1]) && suits(s.axes[2]);
}

void depthwise_conv(DType dtype, ConvPass pass, const ConvShape& shape, std::byte* x, std::byte* weight, std::byte* bias, std::byte* y) {
  HWY_DYNAMIC_DISPATCH(depthwise)(dtype, pass, shape, x, weight, bias, y);
}

}  // namespace cpu
}  // namespace mt
#endif
