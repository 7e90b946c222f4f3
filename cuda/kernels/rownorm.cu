// Normalisation of rows, one team of threads per row. The gradients by weight and bias are sums over rows: another launch.
#include "cuda/kernels/register.h"
#include "cuda/kernels/slices.h"
#include "cuda/moments.h"
#include "cuda/normal.h"
#include "engine/ops/rownorm.h"

namespace mt::cuda {

#include "engine/ops/rownorm-inl.h"

// Runs of elements have one weight each.
struct Weights {
  int64_t run, count;
  MT_DEVICE int64_t of(int64_t element) const { return element / run % count; }
};

template <class T> struct RowNormPolicy {
  static constexpr bool folds = true, applies = true;
  using Running = ShiftedSums;
  using State = Spread;
  const T *x, *weight, *bias;
  T* y;
  double *mean, *invstd;  // mean: null if it is not subtracted
  double eps;
  Weights weights;

  static MT_DEVICE State none() { return {}; }
  MT_DEVICE Running start(int64_t) const { return {}; }
  MT_DEVICE void take(Running& sums, int64_t element, int64_t, int64_t) const {
    if (mean != nullptr)
      sums.take(x[element]);
    else
      sums.take_from_zero(x[element]);
  }
  static MT_DEVICE State close(const Running& sums) { return sums.spread(); }
  static MT_DEVICE void merge(State& into, const State& later) { into.join(later); }
  MT_DEVICE double invstd_of(const State& row) const { return 1 / std::sqrt(row.squares / row.n + eps); }
  MT_DEVICE void finish(int64_t slice, const State& row) const {
    if (mean != nullptr) mean[slice] = row.mean;
    invstd[slice] = invstd_of(row);
  }
  MT_DEVICE Normal<T> prepared(int64_t, const State& row) const { return {row.mean, invstd_of(row)}; }
  MT_DEVICE void apply(const Normal<T>& normal, int64_t element, int64_t, int64_t) const {
    const int64_t at = weights.of(element);
    T v = normal(x[element]);
    if (weight != nullptr) v = v * weight[at];
    if (bias != nullptr) v = v + bias[at];
    y[element] = v;
  }
};

// The gradient by x: (g weight - mean(g weight) - normal mean(g weight normal)) invstd.
template <class T> struct RowNormGradPolicy {
  static constexpr bool folds = true, applies = true;
  using State = TwoSums;
  struct Running {
    Normal<T> normal;
    TwoSums sums;
  };
  struct Prepared {
    Normal<T> normal;
    T offset, slope, invstd;
  };
  const T *g, *x, *weight;
  const double *mean, *invstd;
  T* x_grad;
  int64_t n;
  Weights weights;

  MT_DEVICE Normal<T> normal_of(int64_t row) const { return {mean != nullptr ? mean[row] : 0, invstd[row]}; }
  MT_DEVICE T weighted(int64_t element) const { return weight != nullptr ? g[element] * weight[weights.of(element)] : g[element]; }

  static MT_DEVICE State none() { return {}; }
  MT_DEVICE Running start(int64_t slice) const { return {normal_of(slice), {}}; }
  MT_DEVICE void take(Running& running, int64_t element, int64_t, int64_t) const {
    const T incoming = weighted(element);
    running.sums.add(incoming, incoming * running.normal(x[element]));
  }
  static MT_DEVICE State close(const Running& running) { return running.sums; }
  static MT_DEVICE void merge(State& into, const State& later) { into.add(later.first, later.second); }
  MT_DEVICE void finish(int64_t, const State&) const {}
  MT_DEVICE Prepared prepared(int64_t slice, const State& sums) const {
    const auto count = static_cast<double>(n);
    return {normal_of(slice), mean != nullptr ? static_cast<T>(sums.first / count) : T(0), static_cast<T>(sums.second / count),
            static_cast<T>(invstd[slice])};
  }
  MT_DEVICE void apply(const Prepared& p, int64_t element, int64_t, int64_t) const {
    x_grad[element] = (weighted(element) - p.offset - p.normal(x[element]) * p.slope) * p.invstd;
  }
};

// For each weight: its gradient, the sum of g normal, and that of the bias, the sum of g.
template <class T> struct WeightGradPolicy {
  static constexpr bool folds = true, applies = false;
  using State = TwoSums;
  const T *g, *x;
  const double *mean, *invstd;
  double *weight_grad, *bias_grad;
  int64_t n;

  static MT_DEVICE State none() { return {}; }
  MT_DEVICE State start(int64_t) const { return {}; }
  MT_DEVICE void take(State& sums, int64_t element, int64_t, int64_t) const {
    const int64_t row = element / n;
    const Normal<T> normal(mean != nullptr ? mean[row] : 0, invstd[row]);
    sums.add(g[element] * normal(x[element]), g[element]);
  }
  static MT_DEVICE State close(const State& sums) { return sums; }
  static MT_DEVICE void merge(State& into, const State& later) { into.add(later.first, later.second); }
  MT_DEVICE void finish(int64_t at, const State& sums) const {
    weight_grad[at] = sums.first;
    if (bias_grad != nullptr) bias_grad[at] = sums.second;
  }
};

template <class T> void forward_rows(const RowNormPlan& plan) {
  launch_slices(SliceShape::along(plan.rows, plan.n, 1),
                RowNormPolicy<T>{elements<T>(plan.x), elements<T>(plan.weight), elements<T>(plan.bias), elements<T>(plan.y),
                                 elements<double>(plan.mean), elements<double>(plan.invstd), plan.eps, {plan.run, plan.weights}});
}

template <class T> void backward_rows(const RowNormGradPlan& plan) {
  const T *const g = elements<T>(plan.g), *const x = elements<T>(plan.x);
  const double *const mean = elements<double>(plan.mean), *const invstd = elements<double>(plan.invstd);
  if (plan.rows > 0) {
    launch_slices(SliceShape::along(plan.rows, plan.n, 1),
                  RowNormGradPolicy<T>{
                      g, x, elements<T>(plan.weight), mean, invstd, elements<T>(plan.x_grad), plan.n, {plan.run, plan.weights}});
  }
  launch_slices(SliceShape::of_channels(plan.rows * plan.n / (plan.weights * plan.run), plan.weights, plan.run),
                WeightGradPolicy<T>{g, x, mean, invstd, elements<double>(plan.weight_grad), elements<double>(plan.bias_grad), plan.n});
}

void run_row_norm(const RowNormPlan& plan) { (plan.x.dtype() == DType::float32 ? forward_rows<float> : forward_rows<double>)(plan); }
void run_row_norm_grad(const RowNormGradPlan& plan) {
  (plan.x.dtype() == DType::float32 ? backward_rows<float> : backward_rows<double>)(plan);
}

KernelRows rownorm_rows() {
  static constexpr KernelRow rows[] = {{LayerNorm::decl.name, kernel<&run_row_norm>()},
                                       {LayerNormGrad::decl.name, kernel<&run_row_norm_grad>()},
                                       {GroupNorm::decl.name, kernel<&run_row_norm>()},
                                       {GroupNormGrad::decl.name, kernel<&run_row_norm_grad>()},
                                       {RmsNorm::decl.name, kernel<&run_row_norm>()},
                                       {RmsNormGrad::decl.name, kernel<&run_row_norm_grad>()}};
  return rows;
}

}  // namespace mt::cuda
