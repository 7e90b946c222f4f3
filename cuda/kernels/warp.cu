// Warping: a thread computes an element of the result for all channels that share its field. In the gradient, a thread computes a row of an
// image: it iterates, in order, over the rows of the result that read from it, which an earlier kernel has found. So there are no atomic
// operations, and the bits are the same for any schedule.
#include "engine/ops/warp.h"

#include "cuda/kernels/register.h"
#include "cuda/launch.h"
#include "cuda/scratch.h"
#include "cuda/value.h"

namespace mt::cuda {

#include "engine/ops/warp-inl.h"

namespace {

// The position in the image of element number `at` of the result, from field number `number`.
template <class T> struct Position {
  T y, x;
  bool is_outside;  // then the result is the fill value

  MT_DEVICE Position(const WarpShape& s, const T* fields, int64_t number, int64_t at) {
    const T* const field = fields + number * 2 * s.out_plane() + at;
    y = field[0], x = field[s.out_plane()];
    if (s.offset) y += static_cast<T>(at / s.out_width), x += static_cast<T>(at % s.out_width);
    is_outside = s.border == Border::pad && !(is_on_axis(y, s.height) && is_on_axis(x, s.width));
  }
};

template <class T, Filter filter> struct WarpKernel {
  using Axis = WarpAxis<T, filter>;
  WarpShape s;
  const T *x, *field;
  T* y;
  bool rounds;
  T least, most;

  MT_DEVICE void operator()(Thread& t) const {
    const int64_t plane = s.out_plane(), n = s.images / s.images_of_field * plane;
    for (int64_t i = t.global_index(); i < n; i += t.global_threads()) {
      const int64_t number = i / plane, at = i % plane;
      const Position<T> place(s, field, number, at);
      const Axis down(place.y, s.height, s.dy, s.border), across(place.x, s.width, s.dx, s.border);
      for (int64_t image = number * s.images_of_field; image < (number + 1) * s.images_of_field; ++image)
        y[image * plane + at] =
            rounded(place.is_outside ? static_cast<T>(s.fill) : sum_of_taps(x + image * s.plane(), s.width, down, across));
    }
  }

  MT_DEVICE T rounded(T value) const {
    if (!rounds) return value;
    const T v = ::floor(value + T(0.5));
    return v > least ? v < most ? v : most : least;
  }
};

// The first and the last row of an image that a row of the result reads from.
struct RowRange {
  int64_t first, last;
};

template <class T, Filter filter> struct RangesKernel {
  WarpShape s;
  const T* field;
  RowRange* ranges;

  MT_DEVICE void operator()(Thread& t) const {
    const int64_t rows = s.images / s.images_of_field * s.out_height;
    for (int64_t row = t.global_index(); row < rows; row += t.global_threads()) {
      RowRange range{s.height, -1};
      for (int64_t j = 0; j < s.out_width; ++j) {
        const Position<T> place(s, field, row / s.out_height, row % s.out_height * s.out_width + j);
        if (place.is_outside) continue;
        const WarpAxis<T, filter> down(place.y, s.height, s.dy, s.border);
        const int64_t first = down.places[0], last = down.places[down.count - 1];
        range = {first < range.first ? first : range.first, last > range.last ? last : range.last};
      }
      ranges[row] = range;
    }
  }
};

template <class T, Filter filter> struct ScatterKernel {
  WarpShape s;
  const T *g, *field;
  const RowRange* ranges;
  T* x_grad;

  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t i = t.global_index(); i < s.images * s.height; i += t.global_threads()) {
      const int64_t image = i / s.height, number = image / s.images_of_field;
      T* const line = x_grad + i * s.width;
      for (int64_t j = 0; j < s.width; ++j) line[j] = 0;
      for (int64_t row = 0; row < s.out_height; ++row) {
        const RowRange range = ranges[number * s.out_height + row];
        if (range.first <= i % s.height && i % s.height <= range.last) add_row(line, i % s.height, image, number, row);
      }
    }
  }

  // Adds the contribution of row `row` of the result to row `own` of its image.
  MT_DEVICE void add_row(T* line, int64_t own, int64_t image, int64_t number, int64_t row) const {
    using Axis = WarpAxis<T, filter>;
    for (int64_t at = row * s.out_width; at < (row + 1) * s.out_width; ++at) {
      const Position<T> place(s, field, number, at);
      if (place.is_outside) continue;
      const Axis down(place.y, s.height, s.dy, s.border), across(place.x, s.width, s.dx, s.border);
      const T value = g[image * s.out_plane() + at];
      for (int k = 0; k < Axis::count; ++k) {
        if (down.places[k] != own) continue;
        for (int l = 0; l < Axis::count; ++l) line[across.places[l]] += value * down.weights[k] * across.weights[l];
      }
    }
  }
};

template <class T, Filter filter> void warp_as(const WarpPlan& plan) {
  const WarpShape& s = plan.shape;
  const Whole& whole = plan.whole;
  launch_each(op_stream(), s.images / s.images_of_field * s.out_plane(),
              WarpKernel<T, filter>{s, elements<T>(plan.x), elements<T>(plan.field), elements<T>(plan.y), whole.rounds,
                                    static_cast<T>(whole.least), static_cast<T>(whole.most)});
}

template <class T, Filter filter> void scatter_as(const WarpGradPlan& plan) {
  const WarpShape& s = plan.shape;
  const Stream stream = op_stream();
  const int64_t rows = s.images / s.images_of_field * s.out_height;
  const Scratch<RowRange> ranges(stream, rows);
  launch_each(stream, rows, RangesKernel<T, filter>{s, elements<T>(plan.field), ranges.data()});
  launch_each(stream, s.images * s.height,
              ScatterKernel<T, filter>{s, elements<T>(plan.g), elements<T>(plan.field), ranges.data(), elements<T>(plan.x_grad)});
}

void run_warp(const WarpPlan& plan) {
  with_filter(plan.shape.filter, [&]<Filter filter>(std::integral_constant<Filter, filter>) {
    (plan.x.dtype() == DType::float64 ? warp_as<double, filter> : warp_as<float, filter>)(plan);
  });
}

void run_warp_grad(const WarpGradPlan& plan) {
  with_filter(plan.shape.filter, [&]<Filter filter>(std::integral_constant<Filter, filter>) {
    (plan.g.dtype() == DType::float64 ? scatter_as<double, filter> : scatter_as<float, filter>)(plan);
  });
}

}  // namespace

KernelRows warp_rows() {
  static constexpr KernelRow rows[] = {{Warp::decl.name, kernel<&run_warp>()}, {WarpGrad::decl.name, kernel<&run_warp_grad>()}};
  return rows;
}

}  // namespace mt::cuda
