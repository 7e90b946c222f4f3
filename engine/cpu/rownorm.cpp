// The CPU's kernels of normalisation along the last dimension. A row, some kilobytes, stays in the first-level cache from the pass that
// takes the mean through the one for the variance to the one that writes. The gradients by weight and bias run across rows: blocks of 32
// rows are added up in the element's type, blocks in double, in parts whose borders depend on the number of rows alone.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/rownorm.cpp"
#include <hwy/foreach_target.h>  // must come before what is compiled several times

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/cpu/lane-inl.h"

#include "engine/cpu/first_lanes-inl.h"
#include "engine/ops/rownorm.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

constexpr int64_t grain_of_values = 16384, run_length = 512, block_of_rows = 32, most_parts = 64;

// Calls f(i, count) for the vectors of begin .. end.
template <class T, class F> MT_FN void each_vector(int64_t begin, int64_t end, F f) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(typename Simd<T>::D()));
  int64_t i = begin;
  for (; i + lanes <= end; i += lanes) f(i, lanes);
  if (i < end) f(i, end - i);
}

// The sum over a row of f(i, count), which gives 0 beyond count.
template <class T, class F> MT_FN double sum_row(int64_t n, F f) {
  using V = Simd<T>;
  const auto lanes = static_cast<int64_t>(hn::Lanes(typename V::D()));
  double total = 0;
  for (int64_t begin = 0; begin < n; begin += run_length) {
    const int64_t end = std::min(n, begin + run_length);
    V a(0), b(0), c(0), e(0);
    int64_t i = begin;
    for (; i + 4 * lanes <= end; i += 4 * lanes) {
      a = a + f(i, lanes);
      b = b + f(i + lanes, lanes);
      c = c + f(i + 2 * lanes, lanes);
      e = e + f(i + 3 * lanes, lanes);
    }
    each_vector<T>(i, end, [&](int64_t at, int64_t count) { a = a + f(at, count); });
    total += static_cast<double>(hn::GetLane(hn::SumOfLanes(typename V::D(), ((a + b) + (c + e)).v)));
  }
  return total;
}

template <class T> MT_FN Simd<T> first_of(Simd<T> v, int64_t count) {
  const typename Simd<T>::D d;
  return Simd<T>(hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(count)), v.v));
}

// (x - mean) invstd: the mean is rounded to T for the difference, and what that loses added after.
template <class T> struct Normal {
  Simd<T> mean, factor, shift;

  Normal(double m, double invstd) : mean(static_cast<T>(m)), factor(static_cast<T>(invstd)) {
    shift = Simd<T>(static_cast<T>(-(m - static_cast<double>(static_cast<T>(m))) * invstd));
  }
  MT_FN Simd<T> operator()(Simd<T> x) const { return Simd<T>(hn::MulAdd((x - mean).v, factor.v, shift.v)); }
};

// The operands of a plan, null where they have no storage.
template <class T> struct Forward {
  int64_t n;
  const T *x, *weight, *bias;
  T* y;
  double *mean, *invstd;
  double eps;

  explicit Forward(const RowNormPlan& plan)
      : n(plan.n),
        x(plan.x.data<T>()),
        weight(plan.weight.data<T>()),
        bias(plan.bias.data<T>()),
        y(plan.y.data<T>()),
        mean(plan.mean.data<double>()),
        invstd(plan.invstd.data<double>()),
        eps(plan.eps) {}
};

template <class T> struct Backward {
  int64_t rows, n;
  const T *g, *x, *weight;
  const double *mean, *invstd;
  T* x_grad;

  explicit Backward(const RowNormGradPlan& plan)
      : rows(plan.rows),
        n(plan.n),
        g(plan.g.data<T>()),
        x(plan.x.data<T>()),
        weight(plan.weight.data<T>()),
        mean(plan.mean.data<double>()),
        invstd(plan.invstd.data<double>()),
        x_grad(plan.x_grad.data<T>()) {}
};

template <class T> void forward_row(const Forward<T>& o, int64_t row) {
  using V = Simd<T>;
  const int64_t n = o.n;
  const T *const x = o.x + row * n, *const weight = o.weight, *const bias = o.bias;
  T* const y = o.y + row * n;
  double mean = 0, squares = 0;
  if (o.mean) {
    mean = sum_row<T>(n, [&](int64_t i, int64_t count) { return load_some(x + i, count); }) / static_cast<double>(n);
    o.mean[row] = mean;
  }
  const V centre(static_cast<T>(mean));
  squares = sum_row<T>(n, [&](int64_t i, int64_t count) {
    const V off = load_some(x + i, count) - centre;
    return first_of(off * off, count);
  });
  const double rounding = mean - static_cast<double>(static_cast<T>(mean));
  o.invstd[row] = 1 / std::sqrt(std::max(0.0, squares / static_cast<double>(n) - rounding * rounding) + o.eps);
  const Normal<T> normal(mean, o.invstd[row]);
  each_vector<T>(0, n, [&](int64_t i, int64_t count) {
    V v = normal(load_some(x + i, count));
    if (weight) v = v * load_some(weight + i, count);
    if (bias) v = v + load_some(bias + i, count);
    store_some(v, y + i, count);
  });
}

// x's gradient of one row: (g weight - mean(g weight) - normal mean(g weight normal)) invstd; adds to the block's sums.
template <class T> void backward_row(const Backward<T>& o, int64_t row, T* weight_sum, T* bias_sum) {
  using V = Simd<T>;
  const int64_t n = o.n;
  const T *const x = o.x + row * n, *const g = o.g + row * n, *const weight = o.weight;
  T* const x_grad = o.x_grad + row * n;
  const Normal<T> normal(o.mean ? o.mean[row] : 0, o.invstd[row]);
  const auto weighted = [&](int64_t i, int64_t count) {
    const V v = load_some(g + i, count);
    return weight ? v * load_some(weight + i, count) : v;
  };
  const double sum = o.mean ? sum_row<T>(n, weighted) : 0;
  const double dot =
      sum_row<T>(n, [&](int64_t i, int64_t count) { return first_of(weighted(i, count) * normal(load_some(x + i, count)), count); });
  const V offset(static_cast<T>(sum / static_cast<double>(n))), slope(static_cast<T>(dot / static_cast<double>(n)));
  const V invstd(static_cast<T>(o.invstd[row]));
  each_vector<T>(0, n, [&](int64_t i, int64_t count) {
    const V v = normal(load_some(x + i, count)), incoming = load_some(g + i, count);
    store_some(load_some(weight_sum + i, count) + incoming * v, weight_sum + i, count);
    store_some(load_some(bias_sum + i, count) + incoming, bias_sum + i, count);
    store_some((weighted(i, count) - offset - v * slope) * invstd, x_grad + i, count);
  });
}

template <class T> void forward_as(const RowNormPlan& plan) {
  const Forward<T> o(plan);
  parallel_for(plan.rows, std::max<int64_t>(1, grain_of_values / plan.n), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) forward_row<T>(o, row);
  });
}

template <class T> void backward_as(const RowNormGradPlan& plan) {
  const Backward<T> o(plan);
  const auto n = static_cast<size_t>(o.n);
  const int64_t length = std::max(block_of_rows, (o.rows + most_parts - 1) / most_parts), parts = (o.rows + length - 1) / length;
  std::vector<double> sums(2 * n * static_cast<size_t>(parts));
  parallel_for(parts, std::max<int64_t>(1, grain_of_values / (o.n * length)), [&](int64_t begin, int64_t end) {
    std::vector<T> block(2 * n);
    for (int64_t part = begin; part < end; ++part) {
      double* const sum = sums.data() + 2 * n * static_cast<size_t>(part);
      const int64_t last = std::min(o.rows, (part + 1) * length);
      for (int64_t row = part * length; row < last; row += block_of_rows) {
        std::fill(block.begin(), block.end(), T(0));
        for (int64_t r = row; r < std::min(last, row + block_of_rows); ++r) backward_row<T>(o, r, block.data(), block.data() + n);
        for (size_t i = 0; i < 2 * n; ++i) sum[i] += static_cast<double>(block[i]);
      }
    }
  });
  double *const weight_grad = plan.weight_grad.data<double>(), *const bias_grad = plan.bias_grad.data<double>();
  for (size_t i = 0; i < n; ++i) {
    double weight = 0, bias = 0;
    for (size_t part = 0; part < static_cast<size_t>(parts); ++part) {
      weight += sums[2 * n * part + i];
      bias += sums[2 * n * part + n + i];
    }
    weight_grad[i] = weight;
    if (bias_grad) bias_grad[i] = bias;
  }
}

void forward(const RowNormPlan& plan) { (plan.x.dtype() == DType::float32 ? forward_as<float> : forward_as<double>)(plan); }
void backward(const RowNormGradPlan& plan) { (plan.x.dtype() == DType::float32 ? backward_as<float> : backward_as<double>)(plan); }

#include "engine/ops/rownorm-inl.h"

constexpr Row rows[] = {{&LayerNorm::decl, &plan_layer_norm, kernel<&forward>()},
                        {&LayerNormGrad::decl, &plan_layer_norm_grad, kernel<&backward>()},
                        {&RmsNorm::decl, &plan_rms_norm, kernel<&forward>()},
                        {&RmsNormGrad::decl, &plan_rms_norm_grad, kernel<&backward>()}};

}  // namespace

std::span<const Row> rownorm_rows() { return rows; }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
HWY_EXPORT(rownorm_rows);
namespace cpu {
std::span<const Row> rownorm_rows() { return HWY_DYNAMIC_DISPATCH(rownorm_rows)(); }
}  // namespace cpu
}  // namespace mt
#endif
