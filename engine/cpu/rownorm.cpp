// The CPU's kernels of normalisation of rows. A row, some kilobytes, stays in the first-level cache between the pass that computes its
// moments and the pass that writes.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/rownorm.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include <algorithm>
#include <cmath>

#include "engine/core/built.h"
#include "engine/core/parallel.h"
#include "engine/cpu/lane-inl.h"

#include "engine/cpu/first_lanes-inl.h"
#include "engine/cpu/row_moments-inl.h"
#include "engine/ops/rownorm.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

constexpr int64_t grain_of_values = 16384;

// The operands of a plan; null if they have no storage.
template <class T> struct Forward {
  int64_t n, run, weights;
  const T *x, *weight, *bias;
  T* y;
  double *mean, *invstd;
  double eps;

  explicit Forward(const RowNormPlan& plan)
      : n(plan.n),
        run(plan.run),
        weights(plan.weights),
        x(plan.x.data<T>()),
        weight(plan.weight.data<T>()),
        bias(plan.bias.data<T>()),
        y(plan.y.data<T>()),
        mean(plan.mean.data<double>()),
        invstd(plan.invstd.data<double>()),
        eps(plan.eps) {}
};

template <class T> void forward_row(const Forward<T>& o, int64_t row) {
  using V = Simd<T>;
  const int64_t n = o.n, run = o.run, first = row * n / run % o.weights;
  const T *const x = o.x + row * n, *const weight = o.weight ? o.weight + first : nullptr, *const bias = o.bias ? o.bias + first : nullptr;
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
  const double invstd = o.invstd[row] = 1 / std::sqrt(m.squares + o.eps);
  const Normal<T> normal(m.mean, invstd);
  if (run > 1)
    for (int64_t begin = 0, k = 0; begin < n; begin += run, ++k) {
      const Normal<T> weighted(m.mean, weight ? invstd * static_cast<double>(weight[k]) : invstd, bias ? static_cast<double>(bias[k]) : 0);
      each_vector<T>(run, [&](int64_t i, auto size) HWY_ATTR { store(weighted(load(x + begin + i, size)), y + begin + i, size); });
    }
  else if (weight && bias)
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

template <class T> void forward_as(const RowNormPlan& plan) {
  const Forward<T> o(plan);
  parallel_for(plan.rows, std::max<int64_t>(1, grain_of_values / plan.n), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) forward_row<T>(o, row);
  });
}

void forward(const RowNormPlan& plan) { (plan.x.dtype() == DType::float32 ? forward_as<float> : forward_as<double>)(plan); }

#include "engine/ops/rownorm-inl.h"

constexpr Row rows[] = {{&LayerNorm::decl, &plan_layer_norm, kernel<&forward>()},
                        {&GroupNorm::decl, &plan_group_norm, kernel<&forward>()},
                        {&RmsNorm::decl, &plan_rms_norm, kernel<&forward>()}};

}  // namespace

std::span<const Row> rownorm_rows() { return built_rows<rows>(); }

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
