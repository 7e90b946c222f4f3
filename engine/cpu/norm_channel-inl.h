// Batch normalisation of a channel, independent of the layout. Included once for each CPU instruction set: no include guard.

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engine/ops/norm.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The operands of a plan. weight and bias are null if left out.
struct NormForward {
  const std::byte* x;
  std::byte* y;
  const double *weight, *bias;
  double *mean, *variance;  // read, or with `training` written: the variance over n, not n - 1
  double* invstd;           // written: 1 / sqrt(variance + eps)
  double eps;
  bool training;
};

struct NormBackward {
  const std::byte *g, *x;
  std::byte* x_grad;
  const double *weight, *mean, *invstd;
  double *weight_grad, *bias_grad;
  bool training;
};

constexpr int64_t channel_block = 64, grain_of_values = 16384, sample = 64;
constexpr int64_t least_streamed = int64_t{4} << 20;  // bytes of a result

template <class T> inline bool is_streamed(const NormShape& s) {
  return s.channels * s.values() * static_cast<int64_t>(sizeof(T)) >= least_streamed;
}

// y = (x - mean) factor + shift
template <class T> struct Affine { T mean, factor, shift; };

inline double weight_of(const double* weight, int64_t c) { return weight == nullptr ? 1 : weight[c]; }
inline double bias_of(const NormForward& o, int64_t c) { return o.bias == nullptr ? 0 : o.bias[c]; }

// Also writes invstd.
template <class T> Affine<T> affine_of(const NormForward& o, int64_t c) {
  o.invstd[c] = 1 / std::sqrt(o.variance[c] + o.eps);
  const double factor = o.invstd[c] * weight_of(o.weight, c);
  const T mean = static_cast<T>(o.mean[c]);
  return {mean, static_cast<T>(factor), static_cast<T>(bias_of(o, c) - (o.mean[c] - static_cast<double>(mean)) * factor)};
}

// The coefficients of x's gradient: (g - offset - (x - mean) slope) factor
struct Share {
  double offset = 0, slope = 0, factor;
};

inline Share share(const NormShape& s, const NormBackward& o, int64_t c, double sum, double dot) {
  o.bias_grad[c] = sum;
  o.weight_grad[c] = dot * o.invstd[c];
  const auto count = static_cast<double>(s.values());
  const double factor = o.invstd[c] * weight_of(o.weight, c);
  if (!o.training) return {.factor = factor};
  return {sum / count, dot * o.invstd[c] * o.invstd[c] / count, factor};
}

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
