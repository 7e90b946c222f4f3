// The plans of resampling, and the computation of elements along one axis, which the kernels of all devices share.
#pragma once

#include <cmath>

#include "engine/core/registry.h"
#include "engine/ops/whole.h"

namespace mt {

enum class Filter : uint8_t { nearest, box, bilinear, hamming, bicubic, lanczos };
enum class Sampling : uint8_t { antialiased, plain, aligned, corners };

struct ResampleTaps {
  int64_t first, count;
  constexpr int64_t end() const { return first + count; }
};

// One axis: element i of `out` is a weighted sum of its taps, neighbours among the `in` elements. First and last tap never decrease as i
// grows. R is double; this is a template because functions that call std::sin may then be constexpr, so that CUDA can compile them.
template <class R> struct ResampleAxisOf {
  int64_t in = 1, out = 1;
  Filter filter = Filter::bilinear;
  Sampling sampling = Sampling::antialiased;

  constexpr bool is_identity() const { return in == out; }

  constexpr ResampleTaps taps(int64_t i) const {
    if (filter == Filter::nearest) return {sampling == Sampling::antialiased ? (2 * i + 1) * in / (2 * out) : i * in / out, 1};
    if (sampling == Sampling::antialiased) {
      const int64_t first = at_least(0, static_cast<int64_t>(centre(i) - reach() + R(0.5)));
      return {first, at_most(in, static_cast<int64_t>(centre(i) + reach() + R(0.5))) - first};
    }
    if (is_area()) return {i * in / out, ((i + 1) * in + out - 1) / out - i * in / out};
    const Place p = place(i);
    if (filter == Filter::bilinear) return {p.before, p.before + 1 < in ? 2 : 1};
    return {at_least(0, p.before - 1), at_most(in, p.before + 3) - at_least(0, p.before - 1)};
  }

  // The divisor of all weights of element i.
  constexpr R total(int64_t i, ResampleTaps t) const {
    if (sampling != Sampling::antialiased || filter == Filter::nearest) return 1;
    R sum = 0;
    for (int64_t k = t.first; k < t.end(); ++k) sum += weight(i, k);
    return sum;
  }

  // The weight of tap k, counted from the first element of the axis, before the division.
  constexpr R weight(int64_t i, int64_t k) const {
    if (filter == Filter::nearest) return 1;
    if (sampling == Sampling::antialiased) return shape((static_cast<R>(k) - centre(i) + R(0.5)) * (1 / stretch()));
    if (is_area()) {
      const int64_t covered = at_most((i + 1) * in, (k + 1) * out) - at_least(i * in, k * out);
      return static_cast<R>(covered) / static_cast<R>(in);
    }
    const Place p = place(i);
    if (filter == Filter::bilinear) return in == 1 ? 1 : k == p.before ? 1 - p.part : p.part;
    return sampling == Sampling::aligned ? extrapolated(p, k) : repeated(p, k);
  }

  // The elements of the result that use tap k.
  constexpr ResampleTaps results(int64_t k) const {
    const int64_t first = lowest([&](int64_t i) { return taps(i).end() > k; });
    return {first, lowest([&](int64_t i) { return taps(i).first > k; }) - first};
  }

 private:
  struct Place {
    int64_t before;
    R part;  // distance from `before`, in 0..1
  };

  static constexpr int64_t at_least(int64_t least, int64_t v) { return v < least ? least : v; }
  static constexpr int64_t at_most(int64_t most, int64_t v) { return v > most ? most : v; }

  // The first element of the result for which f is true, if f is true from there on; `out` if there is none.
  template <class F> constexpr int64_t lowest(F f) const {
    int64_t low = 0, high = out;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (f(middle))
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }

  constexpr R scale() const { return static_cast<R>(in) / static_cast<R>(out); }
  constexpr R stretch() const { return in > out ? scale() : 1; }
  constexpr R centre(int64_t i) const { return (static_cast<R>(i) + R(0.5)) * scale(); }
  constexpr R reach() const {
    const R support = filter == Filter::box ? R(0.5) : filter == Filter::bicubic ? R(2) : filter == Filter::lanczos ? R(3) : R(1);
    return support * stretch();
  }
  constexpr bool is_area() const { return sampling == Sampling::aligned && filter == Filter::bilinear && in > out; }

  constexpr Place place(int64_t i) const {
    if (sampling != Sampling::plain) {
      if (out == 1) return {sampling == Sampling::aligned ? in - 1 : 0, 0};
      const int64_t at = i * (in - 1), step = out - 1;
      return {at / step, static_cast<R>(at % step) / static_cast<R>(step)};
    }
    R at = centre(i) - R(0.5);
    if (filter == Filter::bilinear && at < 0) at = 0;
    const R before = std::floor(at);
    if (filter == Filter::bilinear && before >= static_cast<R>(in - 1)) return {in - 1, 0};
    return {static_cast<int64_t>(before), at - before};
  }

  // Keys (1981), "Cubic convolution interpolation for digital image processing", IEEE Trans. ASSP 29, eq. 4.
  static constexpr R cubic(R x, R a) {
    if (x < 0) x = -x;
    if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
  }
  static constexpr R sinc(R x) { return x == 0 ? R(1) : std::sin(pi * x) / (pi * x); }
  static constexpr R pi = R(3.14159265358979323846);

  constexpr R shape(R x) const {
    switch (filter) {
      case Filter::box:
        return x > R(-0.5) && x <= R(0.5) ? 1 : 0;
      case Filter::hamming:
        if (x < 0) x = -x;
        return x >= 1 ? 0 : sinc(x) * (R(0.54) + R(0.46) * std::cos(pi * x));
      case Filter::bicubic:
        return cubic(x, R(-0.5));
      case Filter::lanczos:
        return x >= -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0;
      default:
        if (x < 0) x = -x;
        return x < 1 ? 1 - x : 0;
    }
  }

  // Beyond an edge, the element on the edge is repeated.
  constexpr R repeated(const Place& p, int64_t k) const {
    R sum = 0;
    for (int64_t j = p.before - 1; j <= p.before + 2; ++j) {
      if (at_most(in - 1, at_least(0, j)) == k) sum += cubic(static_cast<R>(j - p.before) - p.part, R(-0.75));
    }
    return sum;
  }

  // Beyond an edge, the line through the last two elements is extended.
  constexpr R extrapolated(const Place& p, int64_t k) const {
    const auto of = [&](int64_t j) { return cubic(static_cast<R>(j - p.before) - p.part, R(-0.5)); };
    if (!(p.part > 0)) return k == p.before ? 1 : 0;
    R sum = of(k);
    const bool begins = p.before == 0, ends = p.before + 2 >= in;
    if (k == p.before) sum += (begins ? 2 * of(k - 1) : 0) - (ends ? of(k + 2) : 0);
    if (k == p.before + 1) sum += (ends ? 2 * of(k + 1) : 0) - (begins ? of(k - 2) : 0);
    return sum;
  }
};
using ResampleAxis = ResampleAxisOf<double>;

// x and y are contiguous, of one dtype, and have `planes` images of the axes' sizes: x of `in`, y of `out`, or, with `adjoint`, the
// other way round. y has elements. The dtype is float32, float64 or uint8; with nearest, which has no adjoint for integers, it may be
// any.
struct ResamplePlan {
  Operand x, y;
  int64_t planes;
  ResampleAxis down, across;
  bool adjoint;
  Whole whole;

  // Bytes are rounded after each axis. As in Pillow the horizontal axis comes first, unless the image becomes lower and wider.
  bool rounds_down_first() const { return down.sampling == Sampling::antialiased && down.out < down.in && across.out > across.in; }
};

void plan_resample(Call& call);
void plan_resample_grad(Call& call);

}  // namespace mt
