// The CPU's kernels of normalisation along the last dimension. A row, some kilobytes, stays in the first-level cache between the pass that
// computes its moments and the pass that writes. The gradients by weight and bias are sums over rows: blocks of 32 rows are summed in the
// element's type, blocks in double, in parts whose borders depend only on the number of rows.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/rownorm.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

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

// The number of elements in a vector: all its lanes, or some.
struct AllLanes {};
struct FirstLanes {
  int64_t count;
};

template <class T> MT_FN Simd<T> load(const T* p, AllLanes) { return Simd<T>(hn::LoadU(typename Simd<T>::D(), p)); }
template <class T> MT_FN Simd<T> load(const T* p, FirstLanes some) { return load_some(p, some.count); }
template <class T> MT_FN void store(Simd<T> v, T* p, AllLanes) { hn::StoreU(v.v, typename Simd<T>::D(), p); }
template <class T> MT_FN void store(Simd<T> v, T* p, FirstLanes some) { store_some(v, p, some.count); }
template <class T> MT_FN Simd<T> first_of(Simd<T> v, AllLanes) { return v; }
template <class T> MT_FN Simd<T> first_of(Simd<T> v, FirstLanes some) {
  return Simd<T>(hn::IfThenElseZero(hn::FirstN(typename Simd<T>::D(), static_cast<size_t>(some.count)), v.v));
}
template <class T> MT_FN Simd<T> mul_add(Simd<T> a, Simd<T> b, Simd<T> c) { return Simd<T>(hn::MulAdd(a.v, b.v, c.v)); }

// Calls f(i, size) for the vectors of a row.
template <class T, class F> MT_FN void each_vector(int64_t n, F f) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(typename Simd<T>::D()));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) f(i, AllLanes());
  if (i < n) f(i, FirstLanes{n - i});
}

struct Sums {
  double first = 0, second = 0;
};

// Computes two sums over a row: f(i, size, a, b) adds to both, nothing beyond size.
template <class T, class F> MT_FN Sums sum_row(int64_t n, F f) {
  using V = Simd<T>;
  const typename V::D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  Sums total;
  for (int64_t begin = 0; begin < n; begin += run_length) {
    const int64_t end = std::min(n, begin + run_length);
    V a0(0), a1(0), a2(0), a3(0), b0(0), b1(0), b2(0), b3(0);
    int64_t i = begin;
    for (; i + 4 * lanes <= end; i += 4 * lanes) {
      f(i, AllLanes(), a0, b0);
      f(i + lanes, AllLanes(), a1, b1);
      f(i + 2 * lanes, AllLanes(), a2, b2);
      f(i + 3 * lanes, AllLanes(), a3, b3);
    }
    for (; i + lanes <= end; i += lanes) f(i, AllLanes(), a0, b0);
    if (i < end) f(i, FirstLanes{end - i}, a0, b0);
    total.first += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, ((a0 + a1) + (a2 + a3)).v)));
    total.second += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, ((b0 + b1) + (b2 + b3)).v)));
  }
  return total;
}

// (x - mean) invstd: subtracts the mean rounded to T, then adds the rounding error.
template <class T> struct Normal {
  Simd<T> mean, factor, shift;

  Normal(double m, double invstd) : mean(static_cast<T>(m)), factor(static_cast<T>(invstd)) {
    shift = Simd<T>(static_cast<T>(-(m - static_cast<double>(static_cast<T>(m))) * invstd));
  }
  MT_FN Simd<T> operator()(Simd<T> x) const { return Simd<T>(hn::MulAdd((x - mean).v, factor.v, shift.v)); }
};

// The operands of a plan; null if they have no storage.
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

struct Moments {
  double mean, squares;  // squares: the mean square of differences to it
};

// Moments from differences to `centre`, which should be near the mean: else they are imprecise, and `near` becomes false.
template <class T> MT_FN Moments moments_of(const T* x, int64_t n, T centre, bool& near) {
  using V = Simd<T>;
  const V middle(centre);
  const Sums sums = sum_row<T>(n, [&](int64_t i, auto size, V& sum, V& squares) HWY_ATTR {
    const V off = first_of(load(x + i, size) - middle, size);
    sum = sum + off;
    squares = mul_add(off, off, squares);
  });
  const auto count = static_cast<double>(n);
  const double off = sums.first / count, variance = sums.second / count - off * off;
  near = off * off <= 4 * variance;
  return {static_cast<double>(centre) + off, std::max(0.0, variance)};
}

template <class T> MT_FN Moments moments(const T* x, int64_t n) {
  constexpr int64_t sample = 32;  // elements, whose mean is the centre
  const int64_t some = std::min(n, sample);
  const double sum = sum_row<T>(some, [&](int64_t i, auto size, Simd<T>& a, Simd<T>&) HWY_ATTR { a = a + load(x + i, size); }).first;
  bool near = false;
  const Moments found = moments_of(x, n, static_cast<T>(sum / static_cast<double>(some)), near);
  return near ? found : moments_of(x, n, static_cast<T>(found.mean), near);
}

template <class T> void forward_row(const Forward<T>& o, int64_t row) {
  using V = Simd<T>;
  const int64_t n = o.n;
  const T *const x = o.x + row * n, *const weight = o.weight, *const bias = o.bias;
  T* const y = o.y + row * n;
  Moments m{0, 0};
  if (o.mean) {
    m = moments(x, n);
    o.mean[row] = m.mean;
  } else {
    m.squares = sum_row<T>(n,
                           [&](int64_t i, auto size, V&, V& squares) HWY_ATTR {
                             const V v = load(x + i, size);
                             squares = mul_add(v, v, squares);
                           })
                    .second /
                static_cast<double>(n);
  }
  o.invstd[row] = 1 / std::sqrt(m.squares + o.eps);
  const Normal<T> normal(m.mean, o.invstd[row]);
  if (weight && bias)
    each_vector<T>(n, [&](int64_t i, auto size) HWY_ATTR {
      store(mul_add(normal(load(x + i, size)), load(weight + i, size), load(bias + i, size)), y + i, size);
    });
  else
    each_vector<T>(n, [&](int64_t i, auto size) HWY_ATTR {
      V v = normal(load(x + i, size));
      if (weight) v = v * load(weight + i, size);
      if (bias) v = v + load(bias + i, size);
      store(v, y + i, size);
    });
}

// Computes x's gradient of one row: (g weight - mean(g weight) - normal mean(g weight normal)) invstd; adds to the block's sums.
// weighted(i, g, size) returns g weight.
template <class T, class F> MT_FN void backward_row(const Backward<T>& o, int64_t row, T* weight_sum, T* bias_sum, F weighted) {
  using V = Simd<T>;
  const int64_t n = o.n;
  const T *const x = o.x + row * n, *const g = o.g + row * n;
  T* const x_grad = o.x_grad + row * n;
  const Normal<T> normal(o.mean ? o.mean[row] : 0, o.invstd[row]);
  const Sums sums = sum_row<T>(n, [&](int64_t i, auto size, V& sum, V& dot) HWY_ATTR {
    const V v = weighted(i, load(g + i, size), size);
    sum = sum + v;
    dot = mul_add(v, first_of(normal(load(x + i, size)), size), dot);
  });
  const V offset(o.mean ? static_cast<T>(sums.first / static_cast<double>(n)) : T(0)),
      slope(static_cast<T>(sums.second / static_cast<double>(n)));
  const V invstd(static_cast<T>(o.invstd[row]));
  each_vector<T>(n, [&](int64_t i, auto size) HWY_ATTR {
    const V v = normal(load(x + i, size)), incoming = load(g + i, size);
    store(mul_add(incoming, v, load(weight_sum + i, size)), weight_sum + i, size);
    store(load(bias_sum + i, size) + incoming, bias_sum + i, size);
    store((weighted(i, incoming, size) - offset - v * slope) * invstd, x_grad + i, size);
  });
}

template <class T> void backward_row(const Backward<T>& o, int64_t row, T* weight_sum, T* bias_sum) {
  using V = Simd<T>;
  if (const T* const weight = o.weight)
    backward_row(o, row, weight_sum, bias_sum,
                 [weight](int64_t i, V incoming, auto size) HWY_ATTR { return incoming * load(weight + i, size); });
  else
    backward_row(o, row, weight_sum, bias_sum, [](int64_t, V incoming, auto) HWY_ATTR { return incoming; });
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
