// Batch normalisation, with a team of threads for each channel or part of a channel.
#include "cuda/kernels/register.h"
#include "cuda/kernels/slices.h"
#include "cuda/moments.h"
#include "cuda/normal.h"
#include "engine/ops/norm.h"

namespace mt::cuda {

#include "engine/ops/norm-inl.h"

// Normalises by the statistics of x, and updates the running statistics.
template <class T> struct TrainingPolicy {
  static constexpr bool folds = true, applies = true;
  using Running = ShiftedSums;
  using State = Spread;
  const T* x;
  const double *weight, *bias;
  double *running_mean, *running_var;
  T* y;
  double *mean, *invstd;
  double momentum, eps;

  static MT_DEVICE State none() { return {}; }
  MT_DEVICE Running start(int64_t) const { return {}; }
  MT_DEVICE void take(Running& sums, int64_t element, int64_t, int64_t) const { sums.take(x[element]); }
  static MT_DEVICE State close(const Running& sums) { return sums.spread(); }
  static MT_DEVICE void merge(State& into, const State& later) { into.join(later); }

  MT_DEVICE double invstd_of(const State& all) const { return 1 / std::sqrt(all.squares / all.n + eps); }
  MT_DEVICE void move(double* running, int64_t c, double latest) const {
    if (running != nullptr) running[c] += momentum * (latest - running[c]);
  }
  MT_DEVICE void finish(int64_t c, const State& all) const {
    mean[c] = all.mean;
    invstd[c] = invstd_of(all);
    move(running_mean, c, all.mean);
    move(running_var, c, all.squares / (all.n - 1));
  }
  MT_DEVICE Normal<T> prepared(int64_t c, const State& all) const {
    return {all.mean, invstd_of(all) * (weight != nullptr ? weight[c] : 1), bias != nullptr ? bias[c] : 0};
  }
  MT_DEVICE void apply(const Normal<T>& normal, int64_t element, int64_t, int64_t) const { y[element] = normal(x[element]); }
};

// Normalises by the running statistics.
template <class T> struct EvaluationPolicy {
  static constexpr bool folds = false, applies = true;
  struct State {};
  const T* x;
  const double *weight, *bias, *running_mean, *running_var;
  T* y;
  double *mean, *invstd;
  double eps;

  static MT_DEVICE State none() { return {}; }
  MT_DEVICE double invstd_of(int64_t c) const { return 1 / std::sqrt(running_var[c] + eps); }
  MT_DEVICE void finish(int64_t c, const State&) const {
    mean[c] = running_mean[c];
    invstd[c] = invstd_of(c);
  }
  MT_DEVICE Normal<T> prepared(int64_t c, const State&) const {
    return {running_mean[c], invstd_of(c) * (weight != nullptr ? weight[c] : 1), bias != nullptr ? bias[c] : 0};
  }
  MT_DEVICE void apply(const Normal<T>& normal, int64_t element, int64_t, int64_t) const { y[element] = normal(x[element]); }
};

// The gradient by x: (g - offset - (x - mean) slope) factor; offset and slope are 0 unless mean and invstd depend on x.
template <class T> struct BatchNormGradPolicy {
  static constexpr bool folds = true, applies = true;
  using State = TwoSums;
  struct Running {
    T mean;
    TwoSums sums;
  };
  struct Prepared {
    T mean, offset, slope, factor;
  };
  const T *g, *x;
  const double *weight, *mean, *invstd;
  T* x_grad;
  double *weight_grad, *bias_grad;
  double count;  // number of values of a channel
  bool training;

  static MT_DEVICE State none() { return {}; }
  MT_DEVICE Running start(int64_t c) const { return {static_cast<T>(mean[c]), {}}; }
  MT_DEVICE void take(Running& running, int64_t element, int64_t, int64_t) const {
    const auto incoming = static_cast<double>(g[element]);
    running.sums.add(incoming, incoming * static_cast<double>(x[element] - running.mean));
  }
  static MT_DEVICE State close(const Running& running) { return running.sums; }
  static MT_DEVICE void merge(State& into, const State& later) { into.add(later.first, later.second); }
  MT_DEVICE void finish(int64_t c, const State& sums) const {
    bias_grad[c] = sums.first;
    weight_grad[c] = sums.second * invstd[c];
  }
  MT_DEVICE Prepared prepared(int64_t c, const State& sums) const {
    const double factor = invstd[c] * (weight != nullptr ? weight[c] : 1), slope = sums.second * invstd[c] * invstd[c] / count;
    return {static_cast<T>(mean[c]), training ? static_cast<T>(sums.first / count) : T(0), training ? static_cast<T>(slope) : T(0),
            static_cast<T>(factor)};
  }
  MT_DEVICE void apply(const Prepared& p, int64_t element, int64_t, int64_t) const {
    x_grad[element] = (g[element] - p.offset - (x[element] - p.mean) * p.slope) * p.factor;
  }
};

SliceShape shape_of(const NormShape& shape) { return SliceShape::of_channels(shape.batch, shape.channels, shape.points); }

// Weight or bias. Copies it if training updates running statistics in the same storage: a program may pass one tensor as both.
class Unmoved {
 public:
  Unmoved(const Tensor& t, const BatchNormPlan& plan) : Unmoved(t, plan, plan.training && is_moved(t, plan)) {}
  const double* data() const { return data_; }

 private:
  Unmoved(const Tensor& t, const BatchNormPlan& plan, bool copies) : copy_(op_stream(), copies ? plan.shape.channels : 0) {
    const auto bytes = static_cast<size_t>(plan.shape.channels) * sizeof(double);
    if (copies) driver::copy_within(op_stream(), copy_.address(), t.bytes(), bytes);
    data_ = copies ? copy_.data() : elements<double>(t);
  }
  static bool is_moved(const Tensor& t, const BatchNormPlan& plan) {
    return t.storage() != nullptr && (t.storage() == plan.running_mean.storage() || t.storage() == plan.running_var.storage());
  }

  Scratch<double> copy_;
  const double* data_;
};

template <class T> void forward_channels(const BatchNormPlan& plan) {
  const T* const x = elements<T>(plan.x);
  T* const y = elements<T>(plan.y);
  const Unmoved kept_weight(plan.weight, plan), kept_bias(plan.bias, plan);
  const double *const weight = kept_weight.data(), *const bias = kept_bias.data();
  double *const running_mean = elements<double>(plan.running_mean), *const running_var = elements<double>(plan.running_var),
                *const mean = elements<double>(plan.mean), *const invstd = elements<double>(plan.invstd);
  if (plan.training) {
    launch_slices(shape_of(plan.shape),
                  TrainingPolicy<T>{x, weight, bias, running_mean, running_var, y, mean, invstd, plan.momentum, plan.eps});
  } else {
    launch_slices(shape_of(plan.shape), EvaluationPolicy<T>{x, weight, bias, running_mean, running_var, y, mean, invstd, plan.eps});
  }
}

template <class T> void backward_channels(const BatchNormGradPlan& plan) {
  launch_slices(shape_of(plan.shape),
                BatchNormGradPolicy<T>{elements<T>(plan.g), elements<T>(plan.x), elements<double>(plan.weight), elements<double>(plan.mean),
                                       elements<double>(plan.invstd), elements<T>(plan.x_grad), elements<double>(plan.weight_grad),
                                       elements<double>(plan.bias_grad), static_cast<double>(plan.shape.values()), plan.training});
}

void run_batch_norm(const BatchNormPlan& plan) {
  (plan.x.dtype() == DType::float32 ? forward_channels<float> : forward_channels<double>)(plan);
}
void run_batch_norm_grad(const BatchNormGradPlan& plan) {
  (plan.x.dtype() == DType::float32 ? backward_channels<float> : backward_channels<double>)(plan);
}

KernelRows norm_rows() {
  static constexpr KernelRow rows[] = {{BatchNorm::decl.name, kernel<&run_batch_norm>()},
                                       {BatchNormGrad::decl.name, kernel<&run_batch_norm_grad>()}};
  return rows;
}

}  // namespace mt::cuda
