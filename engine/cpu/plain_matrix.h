// Column-major matrices and their steps that the plain loops of decompositions share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace mt::cpu::plain {

// A column-major matrix.
template <class T> struct Columns {
  T* data;
  int64_t rows, cols;
  int64_t ld = rows;
  T& operator()(int64_t i, int64_t j) const { return data[i + j * ld]; }
  T* col(int64_t j) const { return data + j * ld; }
};

template <class T> std::vector<T> buffer(int64_t n) { return std::vector<T>(static_cast<size_t>(n)); }

template <class T> T dot(const T* x, const T* y, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += static_cast<double>(x[i]) * static_cast<double>(y[i]);
  return static_cast<T>(sum);
}

template <class T> void add_scaled(T* y, T factor, const T* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] += factor * x[i];
}

// The power of 2 that scales the largest of n magnitudes to about 1, so that squares neither overflow nor vanish; 1 if none is finite and
// above 0. Scaling by it and back changes no digit.
template <class T> T unit_scale(const T* x, int64_t n) {
  T largest = 0;
  for (int64_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(x[i]));
  if (largest == 0 || !std::isfinite(largest)) return 1;
  constexpr int most = std::numeric_limits<T>::max_exponent - 2;
  return std::ldexp(T(1), std::clamp(-std::ilogb(largest), -most, most));
}

template <class T> void set_identity(const Columns<T>& a) {
  std::fill(a.data, a.data + a.rows * a.cols, T(0));
  for (int64_t i = 0; i < std::min(a.rows, a.cols); ++i) a(i, i) = 1;
}

// H = I - tau v v' with v[0] = 1 maps x to (beta, 0, ...): x becomes beta and the rest of v. Returns tau.
template <class T> T make_reflector(T* x, int64_t n) {
  const T norm = std::sqrt(dot(x + 1, x + 1, n - 1));
  if (norm == 0) return 0;
  const T alpha = x[0], beta = -std::copysign(std::hypot(alpha, norm), alpha);
  for (int64_t i = 1; i < n; ++i) x[i] /= alpha - beta;
  x[0] = beta;
  return (beta - alpha) / beta;
}

// c = H c for the columns of c; v[0] counts as 1.
template <class T> void reflect(const T* v, T tau, const Columns<T>& c) {
  if (tau == 0) return;
  for (int64_t j = 0; j < c.cols; ++j) {
    const T factor = -tau * (c(0, j) + dot(v + 1, c.col(j) + 1, c.rows - 1));
    c(0, j) += factor;
    add_scaled(c.col(j) + 1, factor, v + 1, c.rows - 1);
  }
}

// c = c H.
template <class T> void reflect_right(const T* v, T tau, const Columns<T>& c) {
  if (tau == 0) return;
  std::vector<T> product(c.col(0), c.col(0) + c.rows);
  for (int64_t j = 1; j < c.cols; ++j) add_scaled(product.data(), v[j], c.col(j), c.rows);
  for (int64_t j = 0; j < c.cols; ++j) add_scaled(c.col(j), j == 0 ? -tau : -tau * v[j], product.data(), c.rows);
}

// (x, y) = (x, y) [cosine sine; -sine cosine]
template <class T> void rotate(T* x, T* y, int64_t n, int64_t step, T cosine, T sine) {
  for (int64_t i = 0; i < n; ++i) {
    T &a = x[i * step], &b = y[i * step];
    const T kept = a;
    a = cosine * kept - sine * b;
    b = sine * kept + cosine * b;
  }
}

template <class T> Columns<T> from_row(const Columns<T>& c, int64_t i, int64_t j) {
  return {c.data + i + j * c.ld, c.rows - i, c.cols - j, c.ld};
}

}  // namespace mt::cpu::plain
