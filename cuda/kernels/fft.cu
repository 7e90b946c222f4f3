// Kernels of Fourier transforms: Stockham's passes over global memory, one thread per element of a pass's result. Each call computes a
// table of roots of unity. Lengths with large prime factors are computed as convolutions, as on the CPU (engine/cpu/fft_any-inl.h). Real
// numbers are transformed as complex ones.
#include "engine/ops/fft.h"

#include <cmath>
#include <vector>

#include "cuda/kernels/register.h"
#include "cuda/launch.h"
#include "cuda/layout.h"
#include "cuda/scratch.h"
#include "cuda/value.h"

namespace mt::cuda {
namespace {

constexpr int64_t most_of_a_radix = 61;

// The sizes (outer, n, inner) of complex numbers, transformed along n.
struct FourierShape {
  int64_t outer, n, inner;
  MT_HOST_DEVICE int64_t count() const { return outer * n * inner; }
  MT_DEVICE int64_t row_of(int64_t i) const { return i / inner % n; }
  // The position of the element in row `row` of the slice of element i.
  MT_DEVICE int64_t in_slice(int64_t i, int64_t row) const { return (i / (inner * n) * n + row) * inner + i % inner; }
};

template <class T> struct Pair {
  T re, im;
  MT_DEVICE friend Pair operator*(Pair a, Pair b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
};

// exp(-2 pi i k / n); with + if `inverse`.
template <class T> MT_DEVICE Pair<T> root_of_unity(int64_t k, int64_t n, bool inverse) {
  const bool below = 2 * k > n;
  const double angle = 6.283185307179586 * static_cast<double>(below ? n - k : k) / static_cast<double>(n);
  const double im = std::sin(angle);
  return {static_cast<T>(std::cos(angle)), static_cast<T>(below != inverse ? im : -im)};
}

template <class T> struct RootsKernel {
  Pair<T>* roots;
  int64_t n;
  bool inverse;
  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t k = t.global_index(); k < n; k += t.global_threads()) roots[k] = root_of_unity<T>(k, n, inverse);
  }
};

// Computes row q + s (radix p + k) of the result: the sum over j of rows q + s (p + m j) times roots.
template <class T> struct PassKernel {
  const Pair<T>*from, *roots;
  Pair<T>* to;
  FourierShape shape;
  int64_t radix, m, s;
  T scale;
  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t i = t.global_index(); i < shape.count(); i += t.global_threads()) {
      const int64_t row = shape.row_of(i), q = row % s, k = row / s % radix, p = row / s / radix;
      Pair<T> sum{0, 0};
      for (int64_t j = 0; j < radix; ++j) {
        const Pair<T> term = from[shape.in_slice(i, q + s * (p + m * j))] * roots[j * k % radix * (shape.n / radix)];
        sum.re += term.re;
        sum.im += term.im;
      }
      const Pair<T> result = sum * roots[p * k % (radix * m) * s];
      to[i] = {result.re * scale, result.im * scale};
    }
  }
};

// Fills rows: f(i, row) returns each element.
template <class T, class F> struct FillKernel {
  Pair<T>* to;
  FourierShape shape;
  F f;
  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t i = t.global_index(); i < shape.count(); i += t.global_threads()) to[i] = f(i, shape.row_of(i));
  }
};

template <class T, class F> void fill_rows(Stream stream, Pair<T>* to, const FourierShape& shape, const F& f) {
  launch_each(stream, shape.count(), FillKernel<T, F>{to, shape, f});
}

// The radices of the passes; empty if a prime factor is too large.
std::vector<int64_t> radices_of(int64_t n) {
  std::vector<int64_t> radices;
  for (; n % 4 == 0; n /= 4) radices.push_back(4);
  for (int64_t p = 2; p <= most_of_a_radix && n > 1; ++p) {
    for (; n % p == 0; n /= p) radices.push_back(p);
  }
  if (n > 1) return {};
  if (radices.empty()) radices.push_back(1);
  return radices;
}

// Transforms `from` to `to`, by passes whose results alternate between `to` and `spare`.
template <class T> void run_passes(Stream stream, const std::vector<int64_t>& radices, const Pair<T>* from, Pair<T>* to, Pair<T>* spare,
                                   const FourierShape& shape, bool inverse, T scale) {
  const Scratch<Pair<T>> roots(stream, shape.n);
  launch_each(stream, shape.n, RootsKernel<T>{roots.data(), shape.n, inverse});
  int64_t rest = shape.n, done = 1;
  for (size_t i = 0; i < radices.size(); ++i) {
    const size_t after = radices.size() - 1 - i;
    Pair<T>* const target = after % 2 == 0 ? to : spare;
    rest /= radices[i];
    launch_each(stream, shape.count(), PassKernel<T>{from, roots.data(), target, shape, radices[i], rest, done, after == 0 ? scale : T(1)});
    done *= radices[i];
    from = target;
  }
}

// exp(-pi i k^2 / n); with + if `inverse`.
template <class T> struct Chirp {
  int64_t n;
  bool inverse;
  MT_DEVICE Pair<T> operator()(int64_t k) const {
    const auto square = static_cast<unsigned __int128>(k) * static_cast<unsigned __int128>(k);
    return root_of_unity<T>(static_cast<int64_t>(square % static_cast<unsigned __int128>(2 * n)), 2 * n, inverse);
  }
};

template <class T> struct Chirped {
  const Pair<T>* from;
  FourierShape of;
  FourierShape whole;
  Chirp<T> chirp;
  T scale;
  MT_DEVICE Pair<T> operator()(int64_t i, int64_t row) const {
    if (row >= chirp.n) return {0, 0};
    const int64_t slice = i / (whole.inner * whole.n);
    const Pair<T> y = from[(slice * of.n + row) * whole.inner + i % whole.inner] * chirp(row);
    return {y.re * scale, y.im * scale};
  }
};

// The convolution's kernel: the chirp's conjugate, symmetric around row 0.
template <class T> struct Around {
  Chirp<T> chirp;
  int64_t length;
  MT_DEVICE Pair<T> operator()(int64_t, int64_t row) const {
    const int64_t k = row <= length - row ? row : length - row;
    if (k >= chirp.n) return {0, 0};
    const Pair<T> c = chirp(k);
    return {c.re, -c.im};
  }
};

template <class T> struct Multiplied {
  const Pair<T>*from, *spectrum;
  MT_DEVICE Pair<T> operator()(int64_t i, int64_t row) const { return from[i] * spectrum[row]; }
};

template <class T> void convolve(Stream stream, const Pair<T>* from, Pair<T>* to, const FourierShape& shape, bool inverse, T scale) {
  int64_t length = 1;
  while (length < 2 * shape.n - 1) length *= 2;
  const FourierShape whole{shape.outer, length, shape.inner}, line{1, length, 1};
  const std::vector<int64_t> radices = radices_of(length);
  const Chirp<T> chirp{shape.n, inverse};
  const Scratch<Pair<T>> a(stream, whole.count()), b(stream, whole.count()), spare(stream, whole.count()), spectrum(stream, length);
  fill_rows(stream, a.data(), line, Around<T>{chirp, length});
  run_passes(stream, radices, a.data(), spectrum.data(), spare.data(), line, false, T(1));
  fill_rows(stream, a.data(), whole, Chirped<T>{from, shape, whole, chirp, T(1)});
  run_passes(stream, radices, a.data(), b.data(), spare.data(), whole, false, T(1));
  fill_rows(stream, a.data(), whole, Multiplied<T>{b.data(), spectrum.data()});
  run_passes(stream, radices, a.data(), b.data(), spare.data(), whole, true, static_cast<T>(1.0 / static_cast<double>(length)));
  fill_rows(stream, to, shape, Chirped<T>{b.data(), whole, shape, chirp, scale});
}

template <class T> void transform(Stream stream, const Pair<T>* from, Pair<T>* to, const FourierShape& shape, bool inverse, T scale) {
  const std::vector<int64_t> radices = radices_of(shape.n);
  if (radices.empty()) return convolve(stream, from, to, shape, inverse, scale);
  const Scratch<Pair<T>> spare(stream, radices.size() > 1 ? shape.count() : 0);
  run_passes(stream, radices, from, to, spare.data(), shape, inverse, scale);
}

template <class T> struct FromReal {
  const T* x;
  MT_DEVICE Pair<T> operator()(int64_t i, int64_t) const { return {x[i], 0}; }
};

// The first rows of longer slices.
template <class T> struct FirstRows {
  const Pair<T>* from;
  FourierShape of;
  FourierShape first;
  MT_DEVICE Pair<T> operator()(int64_t i, int64_t row) const {
    return from[(i / (first.inner * first.n) * of.n + row) * of.inner + i % of.inner];
  }
};

// All frequencies of a real signal, from the first half of them. The imaginary parts that must be 0 are set to 0.
template <class T> struct AllRows {
  const Pair<T>* half;
  FourierShape of;  // of all frequencies
  MT_DEVICE Pair<T> operator()(int64_t i, int64_t row) const {
    const int64_t k = row <= of.n - row ? row : of.n - row, frequencies = of.n / 2 + 1;
    const Pair<T> x = half[(i / (of.inner * of.n) * frequencies + k) * of.inner + i % of.inner];
    if (k == 0 || 2 * k == of.n) return {x.re, 0};
    return {x.re, k == row ? x.im : -x.im};
  }
};

template <class T> struct RealPartsKernel {
  const Pair<T>* from;
  T* to;
  int64_t count;
  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t i = t.global_index(); i < count; i += t.global_threads()) to[i] = from[i].re;
  }
};

template <class T> Pair<T>* pairs(const Tensor& x) { return reinterpret_cast<Pair<T>*>(elements<T>(x)); }

template <class T> void run_as(const FourierPlan& plan) {
  const Stream stream = op_stream();
  const FourierShape whole{plan.outer, plan.n, plan.inner}, half{plan.outer, plan.n / 2 + 1, plan.inner};
  const T scale = static_cast<T>(plan.scale);
  if (plan.kind == FourierKind::complex) return transform<T>(stream, pairs<T>(plan.x), pairs<T>(plan.out), whole, plan.inverse, scale);
  const Scratch<Pair<T>> a(stream, whole.count());
  if (plan.kind == FourierKind::from_real) {
    fill_rows(stream, a.data(), whole, FromReal<T>{elements<T>(plan.x)});
    if (!plan.onesided) return transform<T>(stream, a.data(), pairs<T>(plan.out), whole, false, scale);
    const Scratch<Pair<T>> b(stream, whole.count());
    transform<T>(stream, a.data(), b.data(), whole, false, scale);
    return fill_rows(stream, pairs<T>(plan.out), half, FirstRows<T>{b.data(), whole, half});
  }
  const Scratch<Pair<T>> b(stream, whole.count());
  fill_rows(stream, a.data(), whole, AllRows<T>{pairs<T>(plan.x), whole});
  transform<T>(stream, a.data(), b.data(), whole, true, scale);
  launch_each(stream, whole.count(), RealPartsKernel<T>{b.data(), elements<T>(plan.out), whole.count()});
}

void run_fft(const FourierPlan& plan) { (plan.x.dtype() == DType::float32 ? run_as<float> : run_as<double>)(plan); }

}  // namespace

KernelRows fft_rows() {
  static constexpr KernelRow rows[] = {{"fft_c2c", kernel<&run_fft>()}, {"fft_r2c", kernel<&run_fft>()}, {"fft_c2r", kernel<&run_fft>()}};
  return rows;
}

}  // namespace mt::cuda
