// Column-major matrices and their steps that the plain loops of decompositions share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "engine/cpu/lapack.h"

namespace mt::cpu::plain {

// The type in which sums of products accumulate.
template <class T> struct WideOf { using Type = double; };
template <class T> struct WideOf<Complex<T>> { using Type = Complex<double>; };
template <class T> using Wide = typename WideOf<T>::Type;
template <class T> constexpr bool is_real = std::is_same_v<T, Part<T>>;

template <class T> T magnitude(T x) { return std::abs(x); }
template <class T> T magnitude(Complex<T> x) { return std::hypot(x.re, x.im); }
template <class T> T real_part(T x) { return x; }
template <class T> T real_part(Complex<T> x) { return x.re; }

// A column-major matrix.
template <class T> struct Columns {
  T* data;
  int64_t rows, cols;
  int64_t ld = rows;
  T& operator()(int64_t i, int64_t j) const { return data[i + j * ld]; }
  T* col(int64_t j) const { return data + j * ld; }
};

template <class T> std::vector<T> buffer(int64_t n) { return std::vector<T>(static_cast<size_t>(n)); }

// The sum of x[i] y[i].
template <class T> T product_sum(const T* x, const T* y, int64_t n) {
  Wide<T> sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += static_cast<Wide<T>>(x[i]) * static_cast<Wide<T>>(y[i]);
  return static_cast<T>(sum);
}

// The sum of x[i]' y[i], with the conjugate of a complex x[i].
template <class T> T dot(const T* x, const T* y, int64_t n) {
  Wide<T> sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += conjugate(static_cast<Wide<T>>(x[i])) * static_cast<Wide<T>>(y[i]);
  return static_cast<T>(sum);
}

// The length of x.
template <class T> Part<T> length_of(const T* x, int64_t n) { return std::sqrt(real_part(dot(x, x, n))); }

template <class T> void add_scaled(T* y, T factor, const T* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] += factor * x[i];
}

// The power of 2 that scales the largest of n magnitudes to about 1, so that squares neither overflow nor vanish; 1 if none is finite and
// above 0. Scaling by it and back changes no digit.
template <class T> Part<T> unit_scale(const T* x, int64_t n) {
  Part<T> largest = 0;
  for (int64_t i = 0; i < n; ++i) largest = std::max(largest, magnitude(x[i]));
  if (largest == 0 || !std::isfinite(largest)) return 1;
  constexpr int most = std::numeric_limits<Part<T>>::max_exponent - 2;
  return std::ldexp(Part<T>(1), std::clamp(-std::ilogb(largest), -most, most));
}

template <class T> void set_identity(const Columns<T>& a) {
  std::fill(a.data, a.data + a.rows * a.cols, T(0));
  for (int64_t i = 0; i < std::min(a.rows, a.cols); ++i) a(i, i) = 1;
}

// H = I - tau v v' with v[0] = 1 has the adjoint that maps x to (beta, 0, ...), beta real: x becomes beta and the rest of v. Returns tau.
template <class T> T make_reflector(T* x, int64_t n) {
  const Part<T> norm = length_of(x + 1, n - 1);
  if (norm == 0 && x[0] == T(real_part(x[0]))) return 0;
  const T alpha = x[0];
  const Part<T> beta = -std::copysign(std::hypot(magnitude(alpha), norm), real_part(alpha));
  for (int64_t i = 1; i < n; ++i) x[i] = x[i] / (alpha - T(beta));
  x[0] = beta;
  return (T(beta) - alpha) / T(beta);
}

// c = H c for the columns of c; v[0] counts as 1.
template <class T> void reflect(const T* v, T tau, const Columns<T>& c) {
  if (tau == T(0)) return;
  for (int64_t j = 0; j < c.cols; ++j) {
    const T factor = T(-1) * tau * (c(0, j) + dot(v + 1, c.col(j) + 1, c.rows - 1));
    c(0, j) += factor;
    add_scaled(c.col(j) + 1, factor, v + 1, c.rows - 1);
  }
}

// c = c H.
template <class T> void reflect_right(const T* v, T tau, const Columns<T>& c) {
  if (tau == T(0)) return;
  std::vector<T> product(c.col(0), c.col(0) + c.rows);
  for (int64_t j = 1; j < c.cols; ++j) add_scaled(product.data(), v[j], c.col(j), c.rows);
  for (int64_t j = 0; j < c.cols; ++j) add_scaled(c.col(j), T(-1) * tau * (j == 0 ? T(1) : conjugate(v[j])), product.data(), c.rows);
}

// (x, y) = (x, y) [cosine sine; -sine cosine]
template <class T> void rotate(T* x, T* y, int64_t n, int64_t step, Part<T> cosine, Part<T> sine) {
  for (int64_t i = 0; i < n; ++i) {
    T &a = x[i * step], &b = y[i * step];
    const T kept = a;
    a = T(cosine) * kept - T(sine) * b;
    b = T(sine) * kept + T(cosine) * b;
  }
}

template <class T> Columns<T> from_row(const Columns<T>& c, int64_t i, int64_t j) {
  return {c.data + i + j * c.ld, c.rows - i, c.cols - j, c.ld};
}

}  // namespace mt::cpu::plain
