// The CPU's kernels of the gradients of normalisations of rows. A row stays in the first-level cache between the pass that sums and the
// pass that writes. The gradients by weight and bias are sums over rows: blocks of 32 rows are summed in the element's type, four rows at a
// time, blocks in double, in parts whose borders depend only on the number of rows.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/rownorm_grad.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include <algorithm>
#include <vector>

#include "engine/core/built.h"
#include "engine/core/parallel.h"
#include "engine/cpu/add_elements.h"
#include "engine/cpu/lane-inl.h"

#include "engine/cpu/first_lanes-inl.h"
#include "engine/cpu/streaming-inl.h"

#include "engine/cpu/row_moments-inl.h"
#include "engine/ops/rownorm.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

constexpr int64_t grain_of_values = 16384, block_of_rows = 32, rows_at_once = 4, most_parts = 64;

constexpr int64_t least_streamed_result = int64_t{4} << 20;  // bytes; engine/cpu/norm.cpp says why

// Whether the runs of `run` elements of a result are written by streaming stores.
template <class T> bool is_streamed(const T* y, int64_t elements, int64_t run) {
  const typename Simd<T>::D d;
  return elements * static_cast<int64_t>(sizeof(T)) >= least_streamed_result && run % static_cast<int64_t>(hn::Lanes(d)) == 0 &&
         can_stream(d, y);
}

// Stores by a streaming store, if `streamed`.
template <class T> MT_FN void store(Simd<T> v, T* p, AllLanes all, bool streamed) {
  if (streamed)
    hn::Stream(v.v, typename Simd<T>::D(), p);
  else
    store(v, p, all);
}
template <class T> MT_FN void store(Simd<T> v, T* p, FirstLanes some, bool) { store(v, p, some); }

// The operands of a plan; mean is null if it is not subtracted.
template <class T> struct Backward {
  int64_t rows, n, run, weights;
  const T *g, *x;
  const double *mean, *invstd;
  T* x_grad;
  std::vector<T> ones;
  const T* weight;
  bool streamed;

  explicit Backward(const RowNormGradPlan& plan)
      : rows(plan.rows),
        n(plan.n),
        run(plan.run),
        weights(plan.weights),
        g(plan.g.data<T>()),
        x(plan.x.data<T>()),
        mean(plan.mean.data<double>()),
        invstd(plan.invstd.data<double>()),
        x_grad(plan.x_grad.data<T>()),
        ones(plan.weight ? 0 : static_cast<size_t>(weights), T(1)),
        weight(plan.weight ? plan.weight.data<T>() : ones.data()),
        streamed(is_streamed(x_grad, rows * n, run > 1 ? run : n)) {}
  Normal<T> normal(int64_t row) const { return Normal<T>(mean ? mean[row] : 0, invstd[row]); }
  int64_t first_weight(int64_t row) const { return row * n / run % weights; }
};

// x's gradient of a row is (g weight - offset - normal slope) invstd, with the means offset of g weight and slope of g weight normal.
template <class T> struct Coefficients {
  Normal<T> normal;
  Simd<T> offset, slope, invstd;

  Coefficients() = default;
  Coefficients(const Backward<T>& o, int64_t row, const Sums& sums)
      : normal(o.normal(row)),
        offset(o.mean ? static_cast<T>(sums.first / static_cast<double>(o.n)) : T(0)),
        slope(static_cast<T>(sums.second / static_cast<double>(o.n))),
        invstd(static_cast<T>(o.invstd[row])) {}
  MT_FN Simd<T> operator()(Simd<T> weighted, Simd<T> v) const { return (weighted - offset - v * slope) * invstd; }
};

// Rows with one weight per element: x's gradients of `count` rows with the same weights; adds to the block's sums.
template <size_t count, class T> void backward_rows(const Backward<T>& o, int64_t row, int64_t step, T* weight_sum, T* bias_sum) {
  using V = Simd<T>;
  const int64_t n = o.n;
  const T* const weight = o.weight + o.first_weight(row);
  Coefficients<T> rows[count];
  for (size_t k = 0; k < count; ++k) {
    const int64_t r = row + static_cast<int64_t>(k) * step;
    const T *const x = o.x + r * n, *const g = o.g + r * n;
    const Normal<T> normal = o.normal(r);
    rows[k] = Coefficients<T>(o, r, sum_row<T>(n, [&](int64_t i, auto size, V& sum, V& dot) HWY_ATTR {
                                const V v = load(g + i, size) * load(weight + i, size);
                                sum = sum + v;
                                dot = mul_add(v, first_of(normal(load(x + i, size)), size), dot);
                              }));
  }
  const T *const x = o.x + row * n, *const g = o.g + row * n;
  T* const x_grad = o.x_grad + row * n;
  each_vector<T>(n, [&](int64_t i, auto size) HWY_ATTR {
    const V factor = load(weight + i, size);
    V by_weight = load(weight_sum + i, size), by_bias = load(bias_sum + i, size);
#pragma GCC unroll 4
    for (size_t k = 0; k < count; ++k) {
      const int64_t at = static_cast<int64_t>(k) * step * n + i;
      const V v = rows[k].normal(load(x + at, size)), incoming = load(g + at, size);
      by_weight = mul_add(incoming, v, by_weight);
      by_bias = by_bias + incoming;
      store(rows[k](incoming * factor, v), x_grad + at, size, o.streamed);
    }
    store(by_weight, weight_sum + i, size);
    store(by_bias, bias_sum + i, size);
  });
}

// A row whose runs have one weight each; adds to the sums of its weights.
template <class T> void backward_runs(const Backward<T>& o, int64_t row, double* weight_sum, double* bias_sum) {
  using V = Simd<T>;
  const int64_t n = o.n, run = o.run;
  const T *const x = o.x + row * n, *const g = o.g + row * n, *const weight = o.weight + o.first_weight(row);
  T* const x_grad = o.x_grad + row * n;
  const Normal<T> normal = o.normal(row);
  Sums all;
  for (int64_t begin = 0, k = 0; begin < n; begin += run, ++k) {
    const Sums sums = sum_row<T>(run, [&](int64_t i, auto size, V& sum, V& dot) HWY_ATTR {
      const V incoming = load(g + begin + i, size);
      sum = sum + incoming;
      dot = mul_add(incoming, first_of(normal(load(x + begin + i, size)), size), dot);
    });
    weight_sum[k] += sums.second;
    bias_sum[k] += sums.first;
    all.first += sums.first * static_cast<double>(weight[k]);
    all.second += sums.second * static_cast<double>(weight[k]);
  }
  const Coefficients<T> coefficients(o, row, all);
  for (int64_t begin = 0, k = 0; begin < n; begin += run, ++k) {
    const V factor(weight[k]);
    each_vector<T>(run, [&](int64_t i, auto size) HWY_ATTR {
      const int64_t at = begin + i;
      store(coefficients(load(g + at, size) * factor, normal(load(x + at, size))), x_grad + at, size, o.streamed);
    });
  }
}

// Rows begin .. end with one weight per element; adds to the sums of the weights. Rows with the same weights are `step` rows apart.
template <class T> void backward_part(const Backward<T>& o, int64_t begin, int64_t end, std::vector<T>& block, double* sum) {
  const int64_t step = o.weights / o.n;
  for (int64_t first = begin; first < end; first += block_of_rows) {
    const int64_t last = std::min(end, first + block_of_rows);
    std::fill(block.begin(), block.end(), T(0));
    for (int64_t row = first; row < std::min(last, first + step); ++row) {
      T *const weight_sum = block.data() + o.first_weight(row), *const bias_sum = weight_sum + o.weights;
      int64_t r = row;
      for (; r + (rows_at_once - 1) * step < last; r += rows_at_once * step) backward_rows<rows_at_once>(o, r, step, weight_sum, bias_sum);
      for (; r < last; r += step) backward_rows<1>(o, r, step, weight_sum, bias_sum);
    }
    for (size_t i = 0; i < block.size(); ++i) sum[i] += static_cast<double>(block[i]);
  }
}

template <class T> void backward_as(const RowNormGradPlan& plan) {
  const Backward<T> o(plan);
  const auto weights = static_cast<size_t>(o.weights);
  const int64_t most = (o.rows + most_parts - 1) / most_parts,
                length = o.run > 1 ? std::max<int64_t>(1, most) : std::max(block_of_rows, most);
  const int64_t parts = (o.rows + length - 1) / length;
  std::vector<double> sums(2 * weights * static_cast<size_t>(parts));
  parallel_for(parts, std::max<int64_t>(1, grain_of_values / (o.n * length)), [&](int64_t begin, int64_t end) {
    std::vector<T> block(o.run > 1 ? 0 : 2 * weights);
    for (int64_t part = begin; part < end; ++part) {
      double* const sum = sums.data() + 2 * weights * static_cast<size_t>(part);
      const int64_t row = part * length, last = std::min(o.rows, row + length);
      if (o.run == 1) {
        backward_part(o, row, last, block, sum);
        continue;
      }
      for (int64_t r = row; r < last; ++r) backward_runs(o, r, sum + o.first_weight(r), sum + o.weights + o.first_weight(r));
    }
    hwy::FlushStream();
  });
  double *const weight_grad = plan.weight_grad.data<double>(), *const bias_grad = plan.bias_grad.data<double>();
  std::fill_n(weight_grad, weights, 0.0);
  if (bias_grad) std::fill_n(bias_grad, weights, 0.0);
  for (int64_t part = 0; part < parts; ++part) {
    const double* const sum = sums.data() + 2 * weights * static_cast<size_t>(part);
    cpu::add_elements(weight_grad, sum, o.weights);
    if (bias_grad) cpu::add_elements(bias_grad, sum + weights, o.weights);
  }
}

void backward(const RowNormGradPlan& plan) { (plan.x.dtype() == DType::float32 ? backward_as<float> : backward_as<double>)(plan); }

#include "engine/ops/rownorm-inl.h"

constexpr Row rows[] = {{&LayerNormGrad::decl, &plan_layer_norm_grad, kernel<&backward>()},
                        {&GroupNormGrad::decl, &plan_group_norm_grad, kernel<&backward>()},
                        {&RmsNormGrad::decl, &plan_rms_norm_grad, kernel<&backward>()}};

}  // namespace

std::span<const Row> rownorm_grad_rows() { return built_rows<rows>(); }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
HWY_EXPORT(rownorm_grad_rows);
namespace cpu {
std::span<const Row> rownorm_grad_rows() { return HWY_DYNAMIC_DISPATCH(rownorm_grad_rows)(); }
}  // namespace cpu
}  // namespace mt
#endif
