// The CPU's kernels of batch normalisation. Threads divide the channels; the values of one channel, some hundred kilobytes, stay in the
// second-level cache between the pass that computes mean and variance and the pass that writes. Both are computed at once, from differences
// to the mean of the channel's first values; if that is far from the mean, a second time. Runs of 1024 elements are summed in four vectors
// each, runs in double. With few points per channel (one, for vectors) 64 channels are processed at a time, row by row, in memory order.
// Results of 4 MB and more are written by streaming stores, as they would leave the caches before they are read: followed by max(y, 0), 8
// MB take 2.2 ms instead of 2.6, 4 MB 1.4 instead of 1.55, 2 MB the same (Zen 4, one thread, the last cache shared with others).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/norm.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engine/core/built.h"
#include "engine/core/parallel.h"
#include "engine/cpu/norm_channel-inl.h"
#include "engine/cpu/norm_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

constexpr int64_t few_points = 8, run_length = 1024;

struct Sums {
  double first = 0, second = 0;
  void operator+=(const Sums& o) { first += o.first, second += o.second; }
};

// Computes two sums over n elements at once: f(tag, vector of x, vector of g, sum, sum) adds to both.
template <class T, class F> HWY_INLINE Sums sum_run(const T* x, const T* g, int64_t n, F&& f) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  Sums total;
  for (int64_t begin = 0; begin < n; begin += run_length) {
    const int64_t end = std::min(n, begin + run_length);
    auto a0 = hn::Zero(d), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
    int64_t i = begin;
    for (; i + 4 * lanes <= end; i += 4 * lanes) {
      f(d, hn::LoadU(d, x + i), hn::LoadU(d, g + i), a0, b0);
      f(d, hn::LoadU(d, x + i + lanes), hn::LoadU(d, g + i + lanes), a1, b1);
      f(d, hn::LoadU(d, x + i + 2 * lanes), hn::LoadU(d, g + i + 2 * lanes), a2, b2);
      f(d, hn::LoadU(d, x + i + 3 * lanes), hn::LoadU(d, g + i + 3 * lanes), a3, b3);
    }
    for (; i + lanes <= end; i += lanes) f(d, hn::LoadU(d, x + i), hn::LoadU(d, g + i), a0, b0);
    const auto all = [&](auto v0, auto v1, auto v2, auto v3) HWY_ATTR {
      return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(v0, v1), hn::Add(v2, v3)))));
    };
    total += {all(a0, a1, a2, a3), all(b0, b1, b2, b3)};
    const hn::CappedTag<T, 1> one;
    auto a = hn::Zero(one), b = a;
    for (; i < end; ++i) f(one, hn::LoadU(one, x + i), hn::LoadU(one, g + i), a, b);
    total += {static_cast<double>(hn::GetLane(a)), static_cast<double>(hn::GetLane(b))};
  }
  return total;
}

// y[i] = f(x[i], g[i]); `streamed`: by streaming stores if y is aligned.
template <class T, class F> HWY_INLINE void map_run(T* y, const T* x, const T* g, int64_t n, bool streamed, F&& f) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> one;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  if (streamed && can_stream(d, y))
    for (; i + lanes <= n; i += lanes) hn::Stream(f(d, hn::LoadU(d, x + i), hn::LoadU(d, g + i)), d, y + i);
  for (; i + lanes <= n; i += lanes) hn::StoreU(f(d, hn::LoadU(d, x + i), hn::LoadU(d, g + i)), d, y + i);
  for (; i < n; ++i) hn::StoreU(f(one, hn::LoadU(one, x + i), hn::LoadU(one, g + i)), one, y + i);
}

// Computes mean and variance from differences to `shift`. Returns false if that is so far from the mean that the variance is imprecise.
template <class T> bool moments(const NormShape& s, const T* x, T shift, double& mean, double& variance) {
  const auto count = static_cast<double>(s.values());
  Sums sums;
  for (int64_t n = 0; n < s.batch; ++n) {
    const T* const run = x + n * s.channels * s.points;
    sums += sum_run<T>(run, run, s.points, [&](auto d, auto v, auto, auto& sum, auto& squares) HWY_ATTR {
      const auto off = hn::Sub(v, hn::Set(d, shift));
      sum = hn::Add(sum, off);
      squares = hn::MulAdd(off, off, squares);
    });
  }
  const double off = sums.first / count;
  mean = static_cast<double>(shift) + off;
  variance = std::max(0.0, sums.second / count - off * off);
  return off * off <= 4 * variance;
}

template <class T> T mean_of_first(const T* x, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += static_cast<double>(x[i]);
  return static_cast<T>(sum / static_cast<double>(n));
}

template <class T> void forward_channel(const NormShape& s, const NormForward& o, int64_t c) {
  const auto* const x = reinterpret_cast<const T*>(o.x);
  auto* const y = reinterpret_cast<T*>(o.y);
  if (o.training) {
    const T* const from = x + c * s.points;
    const T guess = mean_of_first(from, std::min(s.points, sample));
    if (!moments(s, from, guess, o.mean[c], o.variance[c])) moments(s, from, static_cast<T>(o.mean[c]), o.mean[c], o.variance[c]);
  }
  const Affine<T> affine = affine_of<T>(o, c);
  for (int64_t n = 0; n < s.batch; ++n) {
    const int64_t at = (n * s.channels + c) * s.points;
    map_run<T>(y + at, x + at, x + at, s.points, is_streamed<T>(s), [&](auto d, auto v, auto) HWY_ATTR {
      return hn::MulAdd(hn::Sub(v, hn::Set(d, affine.mean)), hn::Set(d, affine.factor), hn::Set(d, affine.shift));
    });
  }
}

template <class T> void backward_channel(const NormShape& s, const NormBackward& o, int64_t c) {
  const auto *const x = reinterpret_cast<const T*>(o.x), *const g = reinterpret_cast<const T*>(o.g);
  auto* const x_grad = reinterpret_cast<T*>(o.x_grad);
  const T mean = static_cast<T>(o.mean[c]);
  Sums sums;
  for (int64_t n = 0; n < s.batch; ++n) {
    const int64_t at = (n * s.channels + c) * s.points;
    sums += sum_run<T>(x + at, g + at, s.points, [&](auto d, auto v, auto w, auto& sum, auto& dot) HWY_ATTR {
      sum = hn::Add(sum, w);
      dot = hn::MulAdd(hn::Sub(v, hn::Set(d, mean)), w, dot);
    });
  }
  const Share part = share(s, o, c, sums.first, sums.second);
  const T offset = static_cast<T>(part.offset), slope = static_cast<T>(part.slope), factor = static_cast<T>(part.factor);
  for (int64_t n = 0; n < s.batch; ++n) {
    const int64_t at = (n * s.channels + c) * s.points;
    map_run<T>(x_grad + at, x + at, g + at, s.points, is_streamed<T>(s), [&](auto d, auto v, auto w) HWY_ATTR {
      const auto off = hn::Sub(v, hn::Set(d, mean));
      return hn::Mul(hn::NegMulAdd(off, hn::Set(d, slope), hn::Sub(w, hn::Set(d, offset))), hn::Set(d, factor));
    });
  }
}

// Calls f(channel within the block, index of the element) for the values of channels first .. first + count, in memory order.
template <class F> HWY_INLINE void each_value(const NormShape& s, int64_t first, int64_t count, F&& f) {
  for (int64_t n = 0; n < s.batch; ++n)
    for (int64_t c = 0; c < count; ++c)
      for (int64_t i = 0; i < s.points; ++i) f(c, (n * s.channels + first + c) * s.points + i);
}

template <class T> void forward_block(const NormShape& s, const NormForward& o, int64_t first, int64_t count) {
  const auto* const x = reinterpret_cast<const T*>(o.x);
  auto* const y = reinterpret_cast<T*>(o.y);
  double *const mean = o.mean + first, *const variance = o.variance + first;
  if (o.training) {
    const auto n = static_cast<double>(s.values());
    std::fill_n(mean, count, 0.0);
    std::fill_n(variance, count, 0.0);
    each_value(s, first, count, [&](int64_t c, int64_t at) { mean[c] += static_cast<double>(x[at]); });
    for (int64_t c = 0; c < count; ++c) mean[c] /= n;
    each_value(s, first, count, [&](int64_t c, int64_t at) {
      const double off = static_cast<double>(x[at]) - mean[c];
      variance[c] += off * off;
    });
    for (int64_t c = 0; c < count; ++c) variance[c] /= n;
  }
  double factor[channel_block], bias[channel_block];
  for (int64_t c = 0; c < count; ++c) {
    o.invstd[first + c] = 1 / std::sqrt(variance[c] + o.eps);
    factor[c] = o.invstd[first + c] * weight_of(o.weight, first + c);
    bias[c] = bias_of(o, first + c);
  }
  each_value(s, first, count,
             [&](int64_t c, int64_t at) { y[at] = static_cast<T>((static_cast<double>(x[at]) - mean[c]) * factor[c] + bias[c]); });
}

template <class T> void backward_block(const NormShape& s, const NormBackward& o, int64_t first, int64_t count) {
  const auto *const x = reinterpret_cast<const T*>(o.x), *const g = reinterpret_cast<const T*>(o.g);
  auto* const x_grad = reinterpret_cast<T*>(o.x_grad);
  const double* const mean = o.mean + first;
  double sum[channel_block] = {}, dot[channel_block] = {};
  Share parts[channel_block];
  each_value(s, first, count, [&](int64_t c, int64_t at) {
    sum[c] += static_cast<double>(g[at]);
    dot[c] += static_cast<double>(g[at]) * (static_cast<double>(x[at]) - mean[c]);
  });
  for (int64_t c = 0; c < count; ++c) parts[c] = share(s, o, first + c, sum[c], dot[c]);
  each_value(s, first, count, [&](int64_t c, int64_t at) {
    const Share& p = parts[c];
    x_grad[at] = static_cast<T>((static_cast<double>(g[at]) - p.offset - (static_cast<double>(x[at]) - mean[c]) * p.slope) * p.factor);
  });
}

// Runs one(channel) or block(first, count) for all channels.
template <class One, class Block> void each_channel(const NormShape& s, One&& one, Block&& block) {
  const int64_t values = std::max<int64_t>(1, s.values());
  if (s.points >= few_points) {
    parallel_for(s.channels, std::max<int64_t>(1, grain_of_values / values), [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) one(c);
      hwy::FlushStream();
    });
    return;
  }
  const int64_t blocks = (s.channels + channel_block - 1) / channel_block;
  parallel_for(blocks, std::max<int64_t>(1, grain_of_values / (values * channel_block)), [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) block(b * channel_block, std::min(channel_block, s.channels - b * channel_block));
  });
}

template <class T> void forward_as(const NormShape& s, const NormForward& o) {
  if (s.points == 1) return forward_rows<T>(s, o);
  each_channel(
      s, [&](int64_t c) { forward_channel<T>(s, o, c); }, [&](int64_t first, int64_t count) { forward_block<T>(s, o, first, count); });
}

template <class T> void backward_as(const NormShape& s, const NormBackward& o) {
  if (s.points == 1) return backward_rows<T>(s, o);
  each_channel(
      s, [&](int64_t c) { backward_channel<T>(s, o, c); }, [&](int64_t first, int64_t count) { backward_block<T>(s, o, first, count); });
}

}  // namespace

// In training, sets `variance` to that of each channel, over n.
void run_batch_norm(const BatchNormPlan& plan, double* variance) {
  double* const mean = plan.mean.data<double>();
  if (!plan.training) {
    variance = plan.running_var.data<double>();
    std::copy_n(plan.running_mean.data<double>(), plan.shape.channels, mean);
  }
  const NormForward o{plan.x.bytes(), plan.y.bytes(), plan.weight.data<double>(), plan.bias.data<double>(),
                      mean,           variance,       plan.invstd.data<double>(), plan.eps,
                      plan.training};
  (plan.x.dtype() == DType::float32 ? forward_as<float> : forward_as<double>)(plan.shape, o);
}

void run_batch_norm_grad(const BatchNormGradPlan& plan) {
  const NormBackward o{plan.g.bytes(),
                       plan.x.bytes(),
                       plan.x_grad.bytes(),
                       plan.weight.data<double>(),
                       plan.mean.data<double>(),
                       plan.invstd.data<double>(),
                       plan.weight_grad.data<double>(),
                       plan.bias_grad.data<double>(),
                       plan.training};
  (plan.x.dtype() == DType::float32 ? backward_as<float> : backward_as<double>)(plan.shape, o);
}

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <vector>

#include "engine/cpu/register.h"

namespace mt {
#include "engine/ops/norm-inl.h"

HWY_EXPORT(run_batch_norm);
HWY_EXPORT(run_batch_norm_grad);

namespace cpu {
namespace {

// Compiled once, so that all instruction sets round alike.
void move_running(const Tensor& running, const double* latest, double momentum, int64_t channels) {
  double* const values = running.data<double>();
  for (int64_t c = 0; values != nullptr && c < channels; ++c) values[c] += momentum * (latest[c] - values[c]);
}

void batch_norm(const BatchNormPlan& plan) {
  const int64_t channels = plan.shape.channels;
  std::vector<double> variance(plan.training ? static_cast<size_t>(channels) : 0);
  HWY_DYNAMIC_DISPATCH(run_batch_norm)(plan, variance.data());
  if (!plan.training) return;
  move_running(plan.running_mean, plan.mean.data<double>(), plan.momentum, channels);
  const auto n = static_cast<double>(plan.shape.values());
  for (double& v : variance) v *= n / (n - 1);
  move_running(plan.running_var, variance.data(), plan.momentum, channels);
}

void batch_norm_grad(const BatchNormGradPlan& plan) { HWY_DYNAMIC_DISPATCH(run_batch_norm_grad)(plan); }

constexpr Row rows[] = {{&BatchNorm::decl, &plan_batch_norm, kernel<&batch_norm>()},
                        {&BatchNormGrad::decl, &plan_batch_norm_grad, kernel<&batch_norm_grad>()}};

}  // namespace

std::span<const Row> norm_rows() { return built_rows<rows>(); }

}  // namespace cpu
}  // namespace mt
#endif
