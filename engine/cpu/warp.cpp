// The CPU's kernels of warping. The taps of an element are computed once for all channels of a field; threads divide the rows of the
// result, and in the gradient, where rows scatter into images, complete images. Bilinear interpolation has a loop in vectors
// (engine/cpu/warp_bilinear.cpp).
#include "engine/ops/warp.h"

#include <algorithm>
#include <utility>

#include "engine/core/built.h"
#include "engine/core/parallel.h"
#include "engine/cpu/register.h"
#include "engine/cpu/warp_bilinear.h"
#include "engine/cpu/whole.h"

namespace mt::cpu {
namespace {

#include "engine/ops/warp-inl.h"

// The taps of one element of the result.
template <class T, Filter filter> struct Taps {
  using Axis = WarpAxis<T, filter>;
  Axis down, across;
  bool is_outside;  // outside, and to be filled

  // field: row, then column, of the element; i and j: its own position
  Taps(const WarpShape& s, const T* field, int64_t i, int64_t j) : Taps(s, place(s, field[0], i), place(s, field[s.out_plane()], j)) {}

  T of(const T* image, int64_t width) const { return sum_of_taps(image, width, down, across); }

  void add(T g, T* image, int64_t width) const {
    for (int k = 0; k < Axis::count; ++k) {
      T* const line = image + down.places[k] * width;
      for (int l = 0; l < Axis::count; ++l) line[across.places[l]] += g * down.weights[k] * across.weights[l];
    }
  }

 private:
  static T place(const WarpShape& s, T position, int64_t own) { return s.offset ? position + static_cast<T>(own) : position; }
  Taps(const WarpShape& s, T y, T x)
      : down(y, s.height, s.dy, s.border),
        across(x, s.width, s.dx, s.border),
        is_outside(s.border == Border::pad && !(is_on_axis(y, s.height) && is_on_axis(x, s.width))) {}
};

template <class T, Filter filter> void gather_rows(const WarpPlan& plan) {
  const WarpShape& s = plan.shape;
  const auto fill = static_cast<T>(s.fill);
  const int64_t fields = s.images / s.images_of_field;
  const int64_t work = s.out_width * (16 + s.images_of_field * WarpAxis<T, filter>::count * WarpAxis<T, filter>::count);
  parallel_for(fields * s.out_height, std::max<int64_t>(1, 16384 / work), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t number = row / s.out_height, i = row % s.out_height, first = number * s.images_of_field;
      const T* const field = plan.field.data<T>() + number * 2 * s.out_plane() + i * s.out_width;
      for (int64_t j = 0; j < s.out_width; ++j) {
        const Taps<T, filter> taps(s, field + j, i, j);
        for (int64_t image = first; image < first + s.images_of_field; ++image) {
          T& y = plan.y.data<T>()[image * s.out_plane() + i * s.out_width + j];
          y = taps.is_outside ? fill : taps.of(plan.x.data<T>() + image * s.plane(), s.width);
        }
      }
    }
  });
}

template <class T, Filter filter> void scatter_images(const WarpGradPlan& plan) {
  const WarpShape& s = plan.shape;
  parallel_for(s.images, std::max<int64_t>(1, 16384 / (1 + s.out_plane() * 16)), [&](int64_t begin, int64_t end) {
    for (int64_t image = begin; image < end; ++image) {
      T* const x_grad = plan.x_grad.data<T>() + image * s.plane();
      const T* const g = plan.g.data<T>() + image * s.out_plane();
      const T* const field = plan.field.data<T>() + image / s.images_of_field * 2 * s.out_plane();
      std::fill_n(x_grad, s.plane(), T(0));
      for (int64_t i = 0, at = 0; i < s.out_height; ++i) {
        for (int64_t j = 0; j < s.out_width; ++j, ++at) {
          const Taps<T, filter> taps(s, field + at, i, j);
          if (!taps.is_outside) taps.add(g[at], x_grad, s.width);
        }
      }
    }
  });
}

void run_warp(const WarpPlan& plan) {
  const bool is_double = plan.x.dtype() == DType::float64;
  if (plan.shape.filter == Filter::bilinear && !plan.shape.is_derivative() && warp_bilinear(plan)) {
    round_whole(plan.y, plan.whole);
    return;
  }
  with_filter(plan.shape.filter, [&]<Filter filter>(std::integral_constant<Filter, filter>) {
    (is_double ? gather_rows<double, filter> : gather_rows<float, filter>)(plan);
  });
  round_whole(plan.y, plan.whole);
}

void run_warp_grad(const WarpGradPlan& plan) {
  with_filter(plan.shape.filter, [&]<Filter filter>(std::integral_constant<Filter, filter>) {
    (plan.g.dtype() == DType::float64 ? scatter_images<double, filter> : scatter_images<float, filter>)(plan);
  });
}

constexpr Row rows[] = {{&Warp::decl, &plan_warp, kernel<&run_warp>()}, {&WarpGrad::decl, &plan_warp_grad, kernel<&run_warp_grad>()}};

}  // namespace

std::span<const Row> warp_rows() { return built_rows<rows>(); }

}  // namespace mt::cpu
