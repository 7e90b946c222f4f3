// The weights of one resampled axis as a table.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "engine/ops/resample.h"

namespace mt::cpu {

// Element i of the result is a sum of count(i) elements from first(i) on, times weights(i). Weights of bytes are integers: the sum divided
// by 2^shift is the byte; they come in pairs, with a weight of 0 after an odd count.
template <class T> class AxisWeights {
 public:
  static constexpr bool whole = std::is_integral_v<T>;
  using Weight = std::conditional_t<whole, int16_t, T>;

  AxisWeights(const ResampleAxis& axis, bool adjoint) : in_(adjoint ? axis.out : axis.in), out_(adjoint ? axis.in : axis.out) {
    if (is_identity()) return;
    taps_ = Tensor::empty(DType::int64, {2 * out_});
    auto* const taps = taps_.data<int64_t>();
    for (int64_t i = 0; i < out_; ++i) {
      const ResampleTaps t = adjoint ? axis.results(i) : axis.taps(i);
      taps[2 * i] = t.first, taps[2 * i + 1] = t.count;
      width_ = std::max(width_, (t.count + 1) / 2 * 2);
    }
    weights_ = Tensor::empty(dtype_of<Weight>, {out_ * width_});
    if constexpr (whole)
      set_whole(axis);
    else
      set(axis, adjoint);
  }

  int64_t in() const { return in_; }
  int64_t out() const { return out_; }
  bool is_identity() const { return in_ == out_; }
  int64_t width() const { return width_; }
  int shift() const { return shift_; }
  int64_t first(int64_t i) const { return taps_.data<int64_t>()[2 * i]; }
  int64_t count(int64_t i) const { return taps_.data<int64_t>()[2 * i + 1]; }
  int64_t end(int64_t i) const { return first(i) + count(i); }
  const Weight* weights(int64_t i) const { return weights_.data<Weight>() + i * width_; }

 private:
  Weight* row(int64_t i) { return weights_.data<Weight>() + i * width_; }

  void set(const ResampleAxis& axis, bool adjoint) {
    if (!adjoint) {
      for (int64_t i = 0; i < out_; ++i) {
        const ResampleTaps t = axis.taps(i);
        const double total = axis.total(i, t);
        for (int64_t k = 0; k < t.count; ++k) row(i)[k] = static_cast<Weight>(axis.weight(i, t.first + k) / total);
      }
      return;
    }
    for (int64_t i = 0; i < in_; ++i) {
      const ResampleTaps t = axis.taps(i);
      const double total = axis.total(i, t);
      for (int64_t k = t.first; k < t.end(); ++k) row(k)[i - first(k)] = static_cast<Weight>(axis.weight(i, k) / total);
    }
  }

  // Chooses the finest weights for which the largest weight fits 16 bits and sums of bytes fit 32.
  void set_whole(const ResampleAxis& axis) {
    const Tensor exact = Tensor::empty(DType::float64, {out_ * width_});
    auto* const values = exact.data<double>();
    double largest = 0;
    for (int64_t i = 0; i < out_; ++i) {
      const ResampleTaps t = axis.taps(i);
      const double total = axis.total(i, t);
      for (int64_t k = 0; k < width_; ++k) {
        values[i * width_ + k] = k < t.count ? axis.weight(i, t.first + k) / total : 0;
        largest = std::max(largest, std::abs(values[i * width_ + k]));
      }
    }
    constexpr int finest = 22;
    while (shift_ < finest && largest * (2 << shift_) + 1 < 1 << 15) ++shift_;
    for (int64_t i = 0; i < out_; ++i) {
      double sum = 0;  // rounds the running sum of the weights, so that all add up to 2^shift and constant images stay constant
      for (int64_t k = 0; k < width_; ++k) {
        const double before = sum;
        sum += values[i * width_ + k] * (1 << shift_);
        row(i)[k] = static_cast<Weight>(std::floor(sum + 0.5) - std::floor(before + 0.5));
      }
    }
  }

  int64_t in_, out_, width_ = 0;
  int shift_ = 0;
  Tensor taps_, weights_;
};

}  // namespace mt::cpu
