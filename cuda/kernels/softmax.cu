// Softmax and related ops: one pass computes the maximum and the sum of exponentials of a slice, a second pass writes the results.
#include "cuda/exponentials.h"
#include "cuda/kernels/register.h"
#include "cuda/kernels/slices.h"
#include "cuda/value.h"
#include "engine/ops/softmax.h"

namespace mt::cuda {

#include "engine/ops/softmax-inl.h"

template <class T> struct OfElements {
  static constexpr bool folds = true;
  using State = Exponentials<T>;
  const T* x;
  T* out;

  static MT_DEVICE State none() { return {}; }
  MT_DEVICE State start(int64_t) const { return {}; }
  MT_DEVICE void take(State& state, int64_t element, int64_t, int64_t) const { state.add(x[element], 1); }
  static MT_DEVICE State close(const State& state) { return state; }
  static MT_DEVICE void merge(State& into, const State& later) { into.add(later.top, later.sum); }
  MT_DEVICE void finish(int64_t, const State&) const {}
  // NaN if an element is inf, or all are -inf.
  static MT_DEVICE double sum_of(const State& state) {
    return std::isinf(state.top) ? std::numeric_limits<double>::quiet_NaN() : state.sum;
  }
};

template <class T> struct TopAndFactor { T top, factor; };

template <class T> struct SoftmaxPolicy : OfElements<T> {
  static constexpr bool applies = true;
  MT_DEVICE TopAndFactor<T> prepared(int64_t, const Exponentials<T>& state) const {
    return {state.top, static_cast<T>(1 / OfElements<T>::sum_of(state))};
  }
  MT_DEVICE void apply(const TopAndFactor<T>& all, int64_t element, int64_t, int64_t) const {
    this->out[element] = std::exp(this->x[element] - all.top) * all.factor;
  }
};

template <class T> struct LogSoftmaxPolicy : OfElements<T> {
  static constexpr bool applies = true;
  MT_DEVICE TopAndFactor<T> prepared(int64_t, const Exponentials<T>& state) const {
    return {state.top, static_cast<T>(std::log(OfElements<T>::sum_of(state)))};
  }
  MT_DEVICE void apply(const TopAndFactor<T>& all, int64_t element, int64_t, int64_t) const {
    this->out[element] = this->x[element] - all.top - all.factor;
  }
};

template <class T> struct LogSumExpPolicy : OfElements<T> {
  static constexpr bool applies = false;
  MT_DEVICE void finish(int64_t slice, const Exponentials<T>& state) const {
    const bool infinite = std::isinf(state.top) && !std::isnan(state.sum);
    this->out[slice] = infinite ? state.top : static_cast<T>(static_cast<double>(state.top) + std::log(state.sum));
  }
};

// Gradients: first a sum over the slice, then each element.
template <class T> struct OfGradients {
  static constexpr bool folds = true, applies = true;
  using State = double;
  const T *g, *y;
  T* out;

  static MT_DEVICE State none() { return 0; }
  MT_DEVICE State start(int64_t) const { return 0; }
  static MT_DEVICE State close(State sum) { return sum; }
  static MT_DEVICE void merge(State& into, State later) { into += later; }
  MT_DEVICE void finish(int64_t, State) const {}
  MT_DEVICE T prepared(int64_t, State sum) const { return static_cast<T>(sum); }
};

template <class T> struct SoftmaxGradPolicy : OfGradients<T> {
  MT_DEVICE void take(double& sum, int64_t element, int64_t, int64_t) const {
    sum += static_cast<double>(this->g[element]) * static_cast<double>(this->y[element]);
  }
  MT_DEVICE void apply(T sum, int64_t element, int64_t, int64_t) const { this->out[element] = this->y[element] * (this->g[element] - sum); }
};

template <class T> struct LogSoftmaxGradPolicy : OfGradients<T> {
  MT_DEVICE void take(double& sum, int64_t element, int64_t, int64_t) const { sum += static_cast<double>(this->g[element]); }
  MT_DEVICE void apply(T sum, int64_t element, int64_t, int64_t) const {
    this->out[element] = this->g[element] - std::exp(this->y[element]) * sum;
  }
};

template <template <class> class Policy> void run_softmax(const SoftmaxPlan& plan) {
  const auto run = [&]<class T>(T) {
    Policy<T> policy;
    if constexpr (std::is_base_of_v<OfElements<T>, Policy<T>>)
      policy = {{elements<T>(plan.x), elements<T>(plan.out)}};
    else
      policy = {{elements<T>(plan.x), elements<T>(plan.y), elements<T>(plan.out)}};
    int64_t outer = 1, inner = 1;
    for (int d = 0; d < plan.x.dim(); ++d) (d < plan.dim ? outer : inner) *= d == plan.dim ? 1 : plan.x.size(d);
    launch_slices(SliceShape::along(outer, plan.x.size(plan.dim), inner), policy);
  };
  if (plan.x.dtype() == DType::float64)
    run(double());
  else
    run(float());
}

KernelRows softmax_rows() {
  static constexpr KernelRow rows[] = {{Softmax::decl.name, kernel<&run_softmax<SoftmaxPolicy>>()},
                                       {LogSoftmax::decl.name, kernel<&run_softmax<LogSoftmaxPolicy>>()},
                                       {LogSumExp::decl.name, kernel<&run_softmax<LogSumExpPolicy>>()},
                                       {SoftmaxGrad::decl.name, kernel<&run_softmax<SoftmaxGradPolicy>>()},
                                       {LogSoftmaxGrad::decl.name, kernel<&run_softmax<LogSoftmaxGradPolicy>>()}};
  return rows;
}

}  // namespace mt::cuda
