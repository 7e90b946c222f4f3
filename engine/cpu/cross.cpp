// The CPU's kernel of the cross product.
#include "engine/ops/cross.h"
#include "engine/core/built.h"

#include "engine/cpu/register.h"
#include "engine/cpu/slices.h"

namespace mt::cpu {
namespace {

#include "engine/ops/cross-inl.h"

constexpr int64_t grain = 8192;  // products per thread at least

// a[i] b[j] - a[j] b[i]; integers wrap, 16-bit floats are rounded once.
template <class T> T minor(T ai, T bj, T aj, T bi) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(ai) * static_cast<uint64_t>(bj) - static_cast<uint64_t>(aj) * static_cast<uint64_t>(bi));
  else
    return T(static_cast<Compute<T>>(ai) * static_cast<Compute<T>>(bj) - static_cast<Compute<T>>(aj) * static_cast<Compute<T>>(bi));
}

template <class T> void multiply(const CrossPlan& plan) {
  const Slices slices(plan.a, plan.dim);
  const int64_t step = slices.inner;
  parallel_for(slices.count(), grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t at = i / step * 3 * step + i % step;
      const T *u = plan.a.data<T>() + at, *v = plan.b.data<T>() + at;
      T* w = plan.out.data<T>() + at;
      w[0] = minor(u[step], v[2 * step], u[2 * step], v[step]);
      w[step] = minor(u[2 * step], v[0], u[0], v[2 * step]);
      w[2 * step] = minor(u[0], v[step], u[step], v[0]);
    }
  });
}

void run_cross(const CrossPlan& plan) {
  dispatch<any_number_dtypes>(plan.out.dtype(), [&]<class T>(std::type_identity<T>) { multiply<T>(plan); });
}

constexpr Row rows[] = {{&Cross::decl, &plan_cross, kernel<&run_cross>()}};

}  // namespace

std::span<const Row> cross_rows() { return built_rows<rows>(); }

}  // namespace mt::cpu
