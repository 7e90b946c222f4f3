// What batch normalisation does with a channel, however its values lie. Included once for each CPU instruction set: no include guard.

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engine/ops/norm.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int64_t channel_block = 64, grain_of_values = 16384, sample = 64;
constexpr int64_t least_around_caches = int64_t{4} << 20;  // bytes of a result

template <class T> inline bool goes_around_caches(const NormShape& s) {
  return s.channels * s.values() * static_cast<int64_t>(sizeof(T)) >= least_around_caches;
}

// y = (x - mean) factor + shift
template <class T> struct Affine { T mean, factor, shift; };

// Writes invstd, too.
template <class T> Affine<T> affine_of(const NormForward& o, int64_t c) {
  o.invstd[c] = 1 / std::sqrt(o.variance[c] + o.eps);
  const double factor = o.invstd[c] * o.weight[c];
  const T mean = static_cast<T>(o.mean[c]);
  return {mean, static_cast<T>(factor), static_cast<T>(o.bias[c] - (o.mean[c] - static_cast<double>(mean)) * factor)};
}

// What x's gradient is made of: (g - offset - (x - mean) slope) factor
struct Share {
  double offset = 0, slope = 0, factor;
};

inline Share share(const NormShape& s, const NormBackward& o, int64_t c, double sum, double dot) {
  o.bias_grad[c] = sum;
  o.weight_grad[c] = dot * o.invstd[c];
  const auto count = static_cast<double>(s.values());
  if (!o.training) return {.factor = o.invstd[c] * o.weight[c]};
  return {sum / count, dot * o.invstd[c] * o.invstd[c] / count, o.invstd[c] * o.weight[c]};
}

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
