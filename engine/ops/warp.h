// The plans of warping, and the taps of a position, which the kernels of all devices share.
#pragma once

#include <cmath>
#include <type_traits>

#include "engine/core/registry.h"
#include "engine/ops/resample.h"
#include "engine/ops/whole.h"

namespace mt {

// A number and its first and second derivatives.
template <class R> struct Jet {
  R value, first, second;

  constexpr R operator[](int order) const { return order == 0 ? value : order == 1 ? first : second; }
  constexpr Jet operator*(const Jet& o) const {
    return {value * o.value, first * o.value + value * o.first, second * o.value + 2 * first * o.first + value * o.second};
  }
  constexpr Jet operator+(const Jet& o) const { return {value + o.value, first + o.first, second + o.second}; }
  constexpr Jet operator/(const Jet& o) const {
    const R v = value / o.value, d = (first - v * o.first) / o.value;
    return {v, d, (second - 2 * d * o.first - v * o.second) / o.value};
  }
};

enum class Border : uint8_t { clamp, pad, zeros };

// How far beyond an edge a position counts as on it if the outside is filled: more than the rounding error of positions in float32.
inline constexpr double warp_slack = 1.0 / 4096;

template <class R> constexpr bool is_on_axis(R at, int64_t size) {
  return at >= R(-warp_slack) && at <= static_cast<R>(size - 1) + R(warp_slack);
}

// One axis of an image: the elements and weights from which a position between elements is computed. R is float or double.
template <class R, Filter filter> struct WarpAxis {
  static constexpr int count = filter == Filter::nearest ? 1 : filter == Filter::bilinear ? 2 : filter == Filter::bicubic ? 4 : 6;
  static constexpr int before = (count - 1) / 2;  // taps before the one at or below the position

  int64_t places[count];
  R weights[count];

  // `at` may be outside of the image, or NaN. order: of the derivative.
  constexpr WarpAxis(R at, int64_t size, int order, Border border) {
    const bool is_open = border == Border::zeros;  // the image is extended by zeros
    const R last = static_cast<R>(size - 1), beyond = is_open ? static_cast<R>(count) : 0;
    const bool is_near = at >= -beyond && at <= last + beyond;
    const R inside = is_near ? at : at > 0 ? last : 0;
    const bool is_flat = !is_near && (is_open || order > 0);  // zero, or clamped: the derivative by the position is 0
    int64_t first = static_cast<int64_t>(std::floor(filter == Filter::nearest ? inside + R(0.5) : inside));
    if (filter == Filter::bilinear && first > 0 && first == size - 1 && !is_open) --first;
    const R part = inside - static_cast<R>(first);
    for (int k = 0; k < count; ++k) weights[k] = is_flat ? 0 : weight(k, part, order);
    if constexpr (filter == Filter::lanczos) {
      if (!is_flat) set_lanczos(part, order);
    }
    for (int k = 0; k < count; ++k) {
      const int64_t place = first - before + k;
      places[k] = place < 0 ? 0 : place >= size ? size - 1 : place;
      if (is_open && places[k] != place) weights[k] = 0;
    }
  }

 private:
  static constexpr R weight(int k, R t, int order) {
    if constexpr (filter == Filter::nearest) return order == 0 ? 1 : 0;
    if constexpr (filter == Filter::bilinear) return order == 0 ? (k == 0 ? 1 - t : t) : order == 1 ? (k == 0 ? R(-1) : R(1)) : 0;
    if constexpr (filter == Filter::bicubic) {
      // Keys (1981), a = -1/2: c0 + c1 t + c2 t^2 + c3 t^3
      constexpr R table[4][4] = {{0, R(-0.5), 1, R(-0.5)}, {1, 0, R(-2.5), R(1.5)}, {0, R(0.5), 2, R(-1.5)}, {0, 0, R(-0.5), R(0.5)}};
      const R* const c = table[k];
      if (order == 0) return ((c[3] * t + c[2]) * t + c[1]) * t + c[0];
      if (order == 1) return (3 * c[3] * t + 2 * c[2]) * t + c[1];
      return order == 2 ? 6 * c[3] * t + 2 * c[2] : order == 3 ? 6 * c[3] : 0;
    }
    return 0;
  }

  static constexpr Jet<double> sinc(double x, double scale) {  // of scale x, with derivatives by x
    constexpr double pi = 3.14159265358979323846;
    const double w = pi * scale, u = w * x;
    if (u < 1e-3 && u > -1e-3) return {1 - u * u / 6, (-u / 3 + u * u * u / 30) * w, (-1.0 / 3 + u * u / 10) * w * w};
    const double v = std::sin(u) / u, d = (std::cos(u) - v) / u;
    return {v, d * w, (-v - 2 * d / u) * w * w};
  }

  constexpr void set_lanczos(R part, int order) {
    Jet<double> shapes[count] = {}, sum = {};
    for (int k = 0; k < count; ++k) {
      const double x = static_cast<double>(part) + before - k;
      if (x > -3 && x < 3) shapes[k] = sinc(x, 1) * sinc(x, 1.0 / 3);
      sum = sum + shapes[k];
    }
    for (int k = 0; k < count; ++k) weights[k] = static_cast<R>((shapes[k] / sum)[order]);
  }
};

// The weighted sum of a position's taps in an image with rows of `width` elements.
template <class R, Filter filter>
constexpr R sum_of_taps(const R* image, int64_t width, const WarpAxis<R, filter>& down, const WarpAxis<R, filter>& across) {
  R sum = 0;
  for (int k = 0; k < down.count; ++k) {
    const R* const line = image + down.places[k] * width;
    R part = 0;
    for (int l = 0; l < across.count; ++l) part += across.weights[l] * line[across.places[l]];
    sum += down.weights[k] * part;
  }
  return sum;
}

// Calls f with a filter as a compile-time constant.
template <class F> void with_filter(Filter filter, F&& f) {
  switch (filter) {
    case Filter::nearest:
      return f(std::integral_constant<Filter, Filter::nearest>());
    case Filter::bilinear:
      return f(std::integral_constant<Filter, Filter::bilinear>());
    case Filter::bicubic:
      return f(std::integral_constant<Filter, Filter::bicubic>());
    default:
      return f(std::integral_constant<Filter, Filter::lanczos>());
  }
}

// Shared shape of warp and its gradient. Images have `height` x `width` elements, warped images `out_height` x `out_width`, at the
// positions of a field; each field applies to `images_of_field` images.
struct WarpShape {
  int64_t images = 0, images_of_field = 1;
  int64_t height = 0, width = 0, out_height = 0, out_width = 0;
  Filter filter = Filter::bilinear;
  bool offset = true;
  Border border = Border::clamp;
  int dy = 0, dx = 0;
  double fill = 0;

  constexpr int64_t plane() const { return height * width; }
  constexpr int64_t out_plane() const { return out_height * out_width; }
  bool is_derivative() const { return dy + dx > 0; }
};

// All are contiguous, all float32 or all float64, and have elements.
struct WarpPlan {
  WarpShape shape;
  Operand x, field;
  Operand y;
  Whole whole;
};

struct WarpGradPlan {
  WarpShape shape;
  Operand g, field;
  Operand x_grad;
};

void plan_warp(Call& call);
void plan_warp_grad(Call& call);

}  // namespace mt
